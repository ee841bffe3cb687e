// kill -9 of the service during thousands of deliveries: each event arrives in order, and a duplicate has the same id.
import { Webhook } from 'standardwebhooks'
import { expect, test } from 'vitest'
import type { BotId, WorkspaceId } from '../../../src/domain/bot.ts'
import { newId } from '../../../src/kit/id.ts'
import { insertEvent } from '../../../src/service/db/delivery/deliveries.ts'
import { startReceiver } from '../../helpers/callers/receiver.ts'
import { folderForFile, openForFile } from '../../helpers/for-file.ts'
import { scaled } from '../../helpers/scale.ts'
import { databaseForFile } from '../../helpers/service/for-file.ts'
import { freePort } from '../../helpers/service/free-port.ts'
import { API_KEY, clientOf } from '../../helpers/service/service.ts'
import { startServiceProcess } from '../../helpers/service/service-process.ts'
import { until } from '../../helpers/until.ts'

const BOTS = scaled({ all: 1_000, gate: 400 })
/** Events to the bot's own address. */
const STORY = ['bot.joining', 'bot.in_waiting_room', 'bot.inmeeting', 'bot.leaving']
/** Events to the workspace's endpoint, of every fourth bot. The others go to the bot's own address. */
const SIGNED = 'bot.done'
const UNSIGNED = 'bot.stopped'
const DELIVERIES = BOTS * 5
const KILLS = [0.12, 0.3].map((share) => share * DELIVERIES)

const directory = folderForFile('emissary-webhook-crash-')
const database = databaseForFile()
const hook = openForFile(startReceiver)

test(`loses none of ${DELIVERIES} deliveries in two kills`, { timeout: 180_000 }, async () => {
  const settings = {
    PORT: String(await freePort()),
    DATA_DIR: directory,
    DATABASE_URL: database.url,
    BOOTSTRAP_API_KEY: API_KEY,
    ALLOW_INSECURE_URLS: 'true',
    BOT_WORKERS: '0',
  }
  let service = await startServiceProcess(settings)
  const api = clientOf(service.url, API_KEY)
  const { body: endpoint } = await api('POST', '/api/v1/webhook_endpoints', { url: `${hook.url}/endpoint`, events: [SIGNED] })
  const { body: pattern } = await api('POST', '/api/v1/bots/create_bot', { meeting_link: 'https://meet.google.com/abc-defg-hij' })
  const bots = await copiesOf(pattern.bot_id)

  const writing = writeEvents(bots)
  for (const kill of KILLS) {
    await until(`${kill} deliveries arrived`, async () => hook.received.length >= kill, 30_000)
    await service.kill()
    service = await startServiceProcess(settings)
  }
  const expected = await writing
  const received = () => new Set(hook.received.map((it) => it.body.event_id))
  await until('every event arrived', async () => received().size >= expected.size, 45_000)
  expect(received()).toEqual(expected)

  const byId = Map.groupBy(hook.received, (it) => it.body.event_id)
  for (const same of byId.values()) for (const it of same) expect(it.raw.equals(same[0]?.raw ?? Buffer.alloc(0))).toBe(true)
  expect(hook.received.length - byId.size, 'twice only what was in flight').toBeLessThan(500)
  for (const own of Map.groupBy(hook.received, (it) => it.body.bot_id).values()) {
    const firstTimes = [...new Map(own.filter((it) => it.path !== '/endpoint').map((it) => [it.body.event_id, it.body.event])).values()]
    expect(firstTimes).toEqual(own.some((it) => it.path === '/endpoint') ? STORY : [...STORY, UNSIGNED])
  }
  const signed = hook.received.filter((it) => it.path === '/endpoint')
  expect(new Set(signed.map((it) => it.headers['webhook-id'])).size).toBe(BOTS / 4)
  for (const it of signed) new Webhook(endpoint.secret).verify(it.raw, it.headers as Record<string, string>)
  expect(await service.stop()).toBe(0)
})

async function copiesOf(botId: string): Promise<{ readonly workspaceId: WorkspaceId; readonly ids: readonly BotId[] }> {
  const { spec, ...pattern } = await database.db.selectFrom('bots').selectAll().where('id', '=', botId).executeTakeFirstOrThrow()
  const rows = Array.from({ length: BOTS }, () => ({
    ...pattern,
    id: newId('bot', new Date()),
    transcript_id: null,
    launch_at: null,
    process_at: null,
    delivered: null,
    custom_attributes: '{}',
    timeline: '{}',
    evidence: '[]',
    request: '{}',
    spec: JSON.stringify(spec),
  }))
  await database.db.insertInto('bots').values(rows).execute()
  return { workspaceId: pattern.workspace_id as WorkspaceId, ids: rows.map(({ id }) => id as BotId) }
}

/** Writes events of eight bots at a time. Returns the ids of all events. */
async function writeEvents({ workspaceId, ids }: Awaited<ReturnType<typeof copiesOf>>): Promise<Set<string>> {
  const written = new Set<string>()
  const waiting = ids.map((botId, index) => ({ botId, url: `${hook.url}/own/${index % 40}`, last: index % 4 === 0 ? SIGNED : UNSIGNED }))
  const worker = async (): Promise<void> => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      for (const name of [...STORY, next.last]) {
        const at = new Date()
        const id = newId('msg', at)
        const body = JSON.stringify({ event: name, bot_id: next.botId, event_id: id })
        await insertEvent(database.db, { id, workspaceId, botId: next.botId, name, body, at }, name === SIGNED ? [] : [next.url])
        written.add(id)
      }
    }
  }
  await Promise.all(Array.from({ length: 8 }, worker))
  return written
}
