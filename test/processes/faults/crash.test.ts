// kill -9 of the service at work: acknowledged bots stay, and every event arrives.
import { expect, test } from 'vitest'
import { startReceiver } from '../../helpers/callers/receiver.ts'
import { folderForFile, openForFile } from '../../helpers/for-file.ts'
import { scaled } from '../../helpers/scale.ts'
import { freePort } from '../../helpers/service/free-port.ts'
import { API_KEY, clientOf, NO_DRIVER } from '../../helpers/service/service.ts'
import { startServiceProcess } from '../../helpers/service/service-process.ts'
import { until } from '../../helpers/until.ts'

const CREATES = scaled({ all: 1_000, gate: 400 })
const KILLS = [0.2, 0.5, 0.8].map((share) => share * CREATES)
const AT_ONCE = 16

const directory = folderForFile('emissary-crash-')
const hook = openForFile(startReceiver)

test(`loses no acknowledged bot and no event in ${CREATES} creates and three kills`, { timeout: 240_000 }, async () => {
  const settings = {
    PORT: String(await freePort()),
    DATA_DIR: directory,
    BOOTSTRAP_API_KEY: API_KEY,
    ALLOW_INSECURE_URLS: 'true',
    RATE_LIMIT_PER_MINUTE: '1000000',
  }
  let service = await startServiceProcess(settings)
  const api = clientOf(service.url, API_KEY)
  const acknowledged = new Map<number, string>()
  const kills = [...KILLS]
  let restarting: Promise<void> | null = null

  async function restart(): Promise<void> {
    await service.kill()
    service = await startServiceProcess(settings)
    restarting = null
  }

  /** Repeats the request with the same key until it is acknowledged, as a careful client does. */
  async function createUntilAcknowledged(index: number): Promise<void> {
    const body = {
      meeting_link: NO_DRIVER,
      callback_url: `${hook.url}/${index % 8}`,
      custom_attributes: { index },
    }
    await until(`create ${index} is acknowledged`, () => attempt(index, body), 60_000)
  }

  async function attempt(index: number, body: object): Promise<boolean> {
    const answer = await api('POST', '/api/v1/bots/create_bot', body, { 'idempotency-key': `create-${index}` }).catch(() => null)
    if (!answer) return false
    expect([201, 507]).toContain(answer.status)
    acknowledged.set(index, answer.body.bot_id)
    const next = kills[0]
    if (next !== undefined && acknowledged.size >= next && !restarting) {
      kills.shift()
      restarting = restart()
    }
    return true
  }

  const queue = Array.from({ length: CREATES }, (_, index) => index)
  const worker = async (): Promise<void> => {
    for (let index = queue.shift(); index !== undefined; index = queue.shift()) await createUntilAcknowledged(index)
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
  await restarting
  expect(kills).toEqual([])
  expect(acknowledged.size).toBe(CREATES)

  const bots = await everyBot(api)
  expect(bots.size, 'every acknowledged bot is there, and none twice').toBe(CREATES)
  for (const id of acknowledged.values()) expect(bots.has(id)).toBe(true)

  const receivedByBot = () => Map.groupBy(hook.received, (it) => it.body.bot_id)
  const complete = () => [...receivedByBot().values()].filter((events) => events.some((it) => it.body.event === 'bot.done')).length
  await until('the events of every bot are complete', async () => complete() === CREATES, 60_000)
  for (const [id, events] of receivedByBot()) {
    expect(bots.has(id), 'no event of a bot that does not exist').toBe(true)
    const firstTimes = [...new Map(events.map((it) => [it.body.event_id, it.body.event])).values()]
    expect(firstTimes).toEqual(['bot.joining', 'bot.stopped', 'bot.done'])
  }
  expect(await service.stop()).toBe(0)
})

async function everyBot(api: ReturnType<typeof clientOf>): Promise<Set<string>> {
  const ids = new Set<string>()
  let cursor = ''
  do {
    const { body } = await api('GET', `/api/v1/bots?limit=100${cursor && `&cursor=${cursor}`}`)
    for (const bot of body.bots) ids.add(bot.bot_id)
    cursor = body.nextCursor ?? ''
  } while (cursor)
  return ids
}
