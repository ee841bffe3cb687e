// Receivers that refuse, hang, reset, redirect, are slow, or are away for an hour or for good; and two hundred bots at once.
import { afterEach, describe, expect, test } from 'vitest'
import type { BotId, WorkspaceId } from '../../src/domain/bot.ts'
import { newId } from '../../src/kit/id.ts'
import { insertEvent } from '../../src/service/db/delivery/deliveries.ts'
import { type Receiver, startReceiver } from '../helpers/callers/receiver.ts'
import { serviceForFile } from '../helpers/service/for-file.ts'
import { NO_DRIVER, WITH_BOTS } from '../helpers/service/service.ts'
import { until } from '../helpers/until.ts'

const PATH = '/api/v1/webhook_endpoints'
const STORY = ['bot.joining', 'bot.stopped', 'bot.done']

const service = serviceForFile(WITH_BOTS)
const open: Receiver[] = []
afterEach(async () => {
  for (const { id } of (await service.api('GET', PATH)).body.endpoints) await service.api('DELETE', `${PATH}/${id}`)
  for (const receiver of open.splice(0)) await receiver.close()
})

async function receiver(): Promise<Receiver> {
  const it = await startReceiver()
  open.push(it)
  return it
}

async function endpointAt(hook: Receiver, fields: object = {}): Promise<string> {
  return (await service.api('POST', PATH, { url: `${hook.url}/hook`, events: ['*'], ...fields })).body.id
}

async function createBot(): Promise<string> {
  const { body } = await service.api('POST', '/api/v1/bots/create_bot', { meeting_link: NO_DRIVER })
  await until('all events are written', async () => (await events(body.bot_id)).length === 3, 10_000)
  return body.bot_id
}

const events = (botId: string) => service.db.selectFrom('events').select('id').where('bot_id', '=', botId).execute()
const endpoint = async (id: string) => (await service.api('GET', `${PATH}/${id}`)).body
/** Oldest first. */
const log = async (botId: string) => (await service.api('GET', `/api/v1/webhook_deliveries?bot_id=${botId}`)).body.deliveries.reverse()
const tried = (botId: string, times: number) =>
  until(`${times} tries`, async () => (await log(botId))[0]?.attempts.length === times && (await log(botId))[0].status !== 'sending', 9_000)

/** The database's clock decides: instead of waiting, all due times and records move into the past. */
async function pass(seconds: number): Promise<void> {
  const earlier = new Date(Date.now() - seconds * 1_000)
  for (const { seq, due_at } of await service.db
    .selectFrom('deliveries')
    .select(['seq', 'due_at'])
    .where('state', '=', 'queued')
    .execute()) {
    await service.db
      .updateTable('deliveries')
      .set({ due_at: new Date(due_at.getTime() - seconds * 1_000) })
      .where('seq', '=', seq)
      .execute()
  }
  await service.db.updateTable('webhook_endpoints').set({ failing_since: earlier }).where('failing_since', 'is not', null).execute()
}

describe('an answer of 500', () => {
  test('is final without retries, and the next event follows', async () => {
    const hook = await receiver()
    hook.answerWith((_it, response) => void response.writeHead(500).end('broken'))
    await endpointAt(hook)
    const bot = await createBot()
    await until('all are final', async () => (await log(bot)).every((it: { status: string }) => it.status === 'failed'), 5_000)
    expect(hook.received.map((it) => it.body.event)).toEqual(STORY)
  })

  test('is retried with retry: standard, and the bot’s later events wait', async () => {
    const hook = await receiver()
    hook.answerWith((_it, response) => void response.writeHead(500).end('broken'))
    await endpointAt(hook, { retry: 'standard' })
    const bot = await createBot()
    await tried(bot, 1)
    expect((await log(bot))[0]).toMatchObject({ status: 'queued', attempts: [{ http_status: 500, answer_head: 'broken' }] })
    await pass(10)
    await tried(bot, 2)
    hook.answerWith((_it, response) => void response.writeHead(204).end())
    await pass(60)
    await hook.waitFor(5)
    expect(hook.received.map((it) => it.body.event)).toEqual(['bot.joining', 'bot.joining', ...STORY])
    expect(new Set(hook.received.slice(0, 3).map((it) => it.headers['webhook-id'])).size).toBe(1)
  })
})

test('does not follow a redirect to this machine', async () => {
  const [hook, inside] = [await receiver(), await receiver()]
  hook.answerWith((_it, response) => void response.writeHead(307, { location: `${inside.url}/secret` }).end())
  await endpointAt(hook)
  const bot = await createBot()
  await until('all are final', async () => (await log(bot)).every((it: { status: string }) => it.status === 'failed'), 5_000)
  expect((await log(bot))[0].attempts).toMatchObject([{ http_status: 307 }])
  expect(inside.received).toEqual([])
})

test('gives up a receiver that sends no status for five seconds, and serves other receivers meanwhile', async () => {
  const [slow, healthy] = [await receiver(), await receiver()]
  slow.answerWith((_it, response) => void response.writeProcessing())
  await endpointAt(slow)
  await endpointAt(healthy)
  const bot = await createBot()
  await healthy.waitFor(3, 5_000)
  const first = async () => (await log(bot)).find((it: { url: string }) => it.url.startsWith(slow.url))
  expect((await first()).attempts, 'before the slow one is given up').toEqual([])
  await until('it is given up', async () => (await first()).attempts.length === 1, 9_000)
  expect((await first()).attempts[0]).toMatchObject({ error: expect.stringMatching(/^timeout/) })
  expect((await first()).attempts[0].duration_ms).toBeGreaterThanOrEqual(4_900)
  expect(slow.received.map((it) => it.body.event)).toEqual(['bot.joining'])
})

test('delivers each event once to a receiver that answers 200 and never ends its body', async () => {
  const hook = await receiver()
  hook.answerWith((_it, response) => void response.writeHead(200).write('thanks'))
  await endpointAt(hook)
  const bot = await createBot()
  const states = async () => (await log(bot)).map((it: { status: string }) => it.status)
  await until('all are delivered', async () => (await states()).every((it: string) => it === 'delivered'), 20_000)
  expect((await log(bot))[0].attempts).toMatchObject([{ http_status: 200, answer_head: 'thanks', error: null }])
  expect(hook.received.map((it) => it.body.event)).toEqual(STORY)
})

test('delivers everything in order to a receiver that was away for an hour', async () => {
  const hook = await receiver()
  hook.answerWith((_it, response) => void response.destroy())
  const id = await endpointAt(hook)
  const bots = [await createBot(), await createBot()]
  for (const [index, pause] of [10, 60, 200, 900].entries()) {
    for (const bot of bots) await tried(bot, index + 1)
    expect((await endpoint(id)).failing_since).not.toBeNull()
    await pass(pause)
  }
  for (const bot of bots) await tried(bot, 5)
  const before = hook.received.length
  hook.answerWith((_it, response) => void response.end())
  await pass(5_000)
  const received = (await hook.waitFor(before + 6)).slice(before)
  for (const bot of bots) expect(received.filter((it) => it.body.bot_id === bot).map((it) => it.body.event)).toEqual(STORY)
  await until('its record is clean', async () => (await endpoint(id)).failing_since === null, 3_000)
})

test('disables an endpoint that failed for five days, and notifies its owner', async () => {
  const hook = await receiver()
  hook.answerWith((_it, response) => void response.writeHead(503).end())
  const id = await endpointAt(hook, { events: ['bot.done'] })
  await createBot()
  await until('it fails', async () => (await endpoint(id)).failing_since, 5_000)
  await pass(4.9 * 86_400)
  await createBot()
  await hook.waitFor(2)
  expect(await endpoint(id)).toMatchObject({ enabled: true })

  await pass(5.1 * 86_400)
  await createBot()
  await until('it is disabled', async () => !(await endpoint(id)).enabled, 5_000)
  expect(await endpoint(id)).toMatchObject({
    disabled_at: expect.stringMatching(/Z$/),
    disabled_reason: 'Nothing was received for 5 days.',
  })
  const count = hook.received.length
  const bot = await createBot()
  expect(await log(bot)).toEqual([])
  expect(hook.received).toHaveLength(count)
  const feed = (await service.api('GET', '/api/v1/events?limit=100')).body.events
  expect(feed.filter((it: { event: string }) => it.event === 'webhook_endpoint.disabled')).toMatchObject([
    { endpoint_id: id, message: expect.any(String) },
  ])

  hook.answerWith((_it, response) => void response.end())
  await service.api('PATCH', `${PATH}/${id}`, { enabled: true })
  expect(await endpoint(id)).toMatchObject({ enabled: true, failing_since: null, disabled_at: null })
  await createBot()
  await hook.waitFor(count + 1)
})

test('delivers the events of two hundred bots in order, to the endpoint and to their own addresses', { timeout: 60_000 }, async () => {
  const hook = await receiver()
  let index = 0
  hook.answerWith((_it, response) => {
    // Responses overtake each other.
    if (index++ % 3 === 0) setTimeout(() => response.end(), 15)
    else response.end()
  })
  await endpointAt(hook)
  const { body } = await service.api('POST', '/api/v1/bots/create_bot', { meeting_link: NO_DRIVER })
  const { workspace_id } = await service.db
    .selectFrom('bots')
    .select('workspace_id')
    .where('id', '=', body.bot_id)
    .executeTakeFirstOrThrow()
  const pattern = await service.db.selectFrom('bots').selectAll().where('id', '=', body.bot_id).executeTakeFirstOrThrow()
  const json = (it: object) => JSON.stringify(it)
  const rows = Array.from({ length: 200 }, () => ({
    ...pattern,
    id: newId('bot', new Date()),
    transcript_id: null,
    launch_at: null,
    process_at: null,
    delivered: null,
    custom_attributes: json({}),
    timeline: json({}),
    evidence: '[]',
    request: json({}),
    spec: json(pattern.spec),
  }))
  await service.db.insertInto('bots').values(rows).execute()
  const bots = rows.map(({ id }) => id as BotId)
  const writeEvents = async (botId: BotId) => {
    for (let place = 0; place < 4; place++) {
      const at = new Date()
      const event = { id: newId('msg', at), workspaceId: workspace_id as WorkspaceId, botId, name: 'bot.leaving', at }
      await insertEvent(service.db, { ...event, body: json({ bot_id: botId, place, event_id: event.id }) }, [
        `${hook.url}/own?bot=${botId}`,
      ])
    }
  }
  await Promise.all(bots.map(writeEvents))
  const received = () => hook.received.filter((it) => it.body.place !== undefined)
  await until('all deliveries arrived', async () => received().length >= 1_600, 90_000)
  for (const path of ['/hook', '/own'])
    for (const [bot, deliveries] of Map.groupBy(
      received().filter((it) => it.path.startsWith(path)),
      (it) => it.body.bot_id,
    ))
      expect(
        deliveries.map((it) => it.body.place),
        `${path} ${bot}`,
      ).toEqual([0, 1, 2, 3])
  expect(received()).toHaveLength(1_600)
})
