// Deliveries to callback_url: their content and order, and the effect of a failing receiver on its own deliveries and on others.
import { afterEach, describe, expect, test } from 'vitest'
import type { WorkspaceId } from '../../src/domain/bot.ts'
import { insertEvent } from '../../src/service/db/delivery/deliveries.ts'
import { type Receiver, startReceiver } from '../helpers/callers/receiver.ts'
import { serviceForFile } from '../helpers/service/for-file.ts'
import { type Answer, NO_DRIVER, startTestService, WITH_BOTS } from '../helpers/service/service.ts'
import { until } from '../helpers/until.ts'

const service = serviceForFile(WITH_BOTS)
const open: Receiver[] = []
afterEach(async () => {
  for (const receiver of open.splice(0)) await receiver.close()
})

async function receiver(): Promise<Receiver> {
  const it = await startReceiver()
  open.push(it)
  return it
}

const create = (callback_url: string, body: object = {}): Promise<Answer> =>
  service.api('POST', '/api/v1/bots/create_bot', { meeting_link: NO_DRIVER, callback_url, ...body })

async function log(botId: string) {
  return (await service.api('GET', `/api/v1/webhook_deliveries?bot_id=${botId}`)).body.deliveries.reverse()
}

/** Makes a waiting retry due now. */
async function retryNow(botId: string): Promise<void> {
  await service.db
    .updateTable('deliveries')
    .set({ due_at: new Date(0) })
    .where('bot_id', '=', botId)
    .where('state', '=', 'queued')
    .execute()
}

test('delivers a bot’s events in order, unsigned, with every field, and logs them', async () => {
  const hook = await receiver()
  const { body } = await create(`${hook.url}/hook?bot=1`, { custom_attributes: { deal: 7 } })
  const received = await hook.waitFor(3)
  expect(received.map((it) => it.body.event)).toEqual(['bot.joining', 'bot.stopped', 'bot.done'])
  expect(received[0]?.path).toBe('/hook?bot=1')
  expect(received[0]?.headers).toMatchObject({ 'user-agent': 'Emissary/1.0', 'content-type': 'application/json' })
  expect(received[0]?.headers).not.toHaveProperty('x-service-signature')
  expect(received[0]?.body).toEqual({
    event: 'bot.joining',
    bot_event: 'bot.joining',
    bot_status: 'Joining',
    bot_id: body.bot_id,
    message: expect.any(String),
    status_code: 200,

    custom_attributes: { deal: 7 },
    transcript_id: body.transcript_id,
    timestamp: expect.stringMatching(/Z$/),
    event_id: expect.stringMatching(/^msg_/),
  })
  expect(received[1]?.body).toMatchObject({
    bot_event: 'bot.failed',
    bot_status: 'Failed',
    status_code: 500,
    message: expect.stringContaining('joining is not available on this server'),
  })
  expect(received[2]?.body).toMatchObject({ bot_event: 'bot.done', bot_status: 'Failed', status_code: 200 })
  await until(
    'the log is complete',
    async () => (await log(body.bot_id)).every((it: { status: string }) => it.status === 'delivered'),
    5_000,
  )
  expect((await log(body.bot_id))[0]).toMatchObject({
    event: 'bot.joining',
    event_id: received[0]?.body.event_id,
    bot_id: body.bot_id,
    status: 'delivered',
    attempts: [{ number: 1, http_status: 200, answer_head: 'ok', error: null }],
  })
})

describe('a receiver', () => {
  test('gets no retry after an answer outside 2xx, and the next event follows', async () => {
    const hook = await receiver()
    hook.answerWith(
      (it, response) => void response.writeHead(it.body.event === 'bot.joining' ? 500 : 302, { location: 'http://127.0.0.1:1/' }).end('no'),
    )
    const { body } = await create(hook.url)
    await hook.waitFor(3)
    await until('all are final', async () => (await log(body.bot_id)).every((it: { status: string }) => it.status === 'failed'), 5_000)
    expect(hook.received).toHaveLength(3)
  })

  test('gets the same event again before the later ones if it does not answer', async () => {
    const hook = await receiver()
    hook.answerWith((_it, response) => void response.destroy())
    const { body } = await create(hook.url)
    await hook.waitFor(1)
    await until('the retry is planned', async () => (await log(body.bot_id))[0]?.attempts.length === 1, 5_000)
    const [first, second] = await log(body.bot_id)
    expect(first).toMatchObject({ status: 'queued', attempts: [{ http_status: null, error: expect.stringMatching(/^reset/) }] })
    const pause = Date.parse(first.next_attempt_at) - Date.now()
    expect(pause).toBeGreaterThan(1_000)
    expect(pause).toBeLessThan(7_000)
    if (second) expect(second.attempts).toEqual([])

    hook.answerWith((_it, response) => void response.end())
    await retryNow(body.bot_id)
    const received = await hook.waitFor(4)
    expect(received.map((it) => it.body.event)).toEqual(['bot.joining', 'bot.joining', 'bot.stopped', 'bot.done'])
    expect(received[0]?.body.event_id).toBe(received[1]?.body.event_id)
  })

  test('is cut off after 5 seconds if it hangs, and delays no other receiver', async () => {
    const [hanging, healthy] = [await receiver(), await receiver()]
    hanging.answerWith(() => undefined)
    const stuck = await Promise.all(Array.from({ length: 20 }, () => create(hanging.url)))
    const start = performance.now()
    await create(healthy.url)
    const [first] = await healthy.waitFor(1, 5_000)
    expect((first?.at ?? Number.POSITIVE_INFINITY) - start, 'before the first of them is given up').toBeLessThan(5_000)
    const ids = stuck.map((it) => it.body.bot_id)
    const timedOut = async () => {
      const attempts = await service.db
        .selectFrom('delivery_attempts')
        .innerJoin('deliveries', 'deliveries.seq', 'delivery_seq')
        .select(['duration_ms', 'error'])
        .where('bot_id', 'in', ids)
        .execute()
      return attempts[0]
    }
    await until('one is cut', async () => (await timedOut()) !== undefined, 9_000)
    expect(await timedOut()).toMatchObject({ error: expect.stringMatching(/^timeout/) })
    expect((await timedOut())?.duration_ms).toBeGreaterThanOrEqual(4_900)
    // It never answered, so it gets one request at a time.
    expect(hanging.received.length).toBeLessThanOrEqual(2)
  })
})

test('sends a receiver at most four requests at once, also for many bots', async () => {
  const hook = await receiver()
  let now = 0
  let most = 0
  hook.answerWith((_it, response) => {
    now += 1
    most = Math.max(most, now)
    setImmediate(() => setImmediate(() => response.end(() => (now -= 1))))
  })
  await Promise.all(Array.from({ length: 40 }, () => create(hook.url)))
  const received = await hook.waitFor(120, 20_000)
  expect(most).toBeLessThanOrEqual(4)
  expect(most).toBeGreaterThan(1)
  const byBot = Map.groupBy(received, (it) => it.body.bot_id)
  expect(byBot.size).toBe(40)
  for (const events of byBot.values()) expect(events.map((it) => it.body.event)).toEqual(['bot.joining', 'bot.stopped', 'bot.done'])
})

test('sends a delivery whose sender died from the next sender', async () => {
  const hook = await receiver()
  hook.answerWith((_it, response) => void response.destroy())
  const { body } = await create(hook.url)
  await until('the first try failed', async () => (await log(body.bot_id))[0]?.attempts.length === 1, 5_000)
  // The state that a sender leaves when it is killed between request and record.
  const dead = { state: 'sending' as const, attempts: 2, claimed_until: new Date(0), due_at: new Date(0) }
  const first = service.db.selectFrom('deliveries').select('seq').where('bot_id', '=', body.bot_id).orderBy('seq').limit(1)
  await service.db.updateTable('deliveries').set(dead).where('seq', '=', first).execute()
  hook.answerWith((_it, response) => void response.end())
  await retryNow(body.bot_id)
  await until('it is delivered', async () => (await log(body.bot_id))[0]?.status === 'delivered', 15_000)
})

test('sends nothing to a private address without ALLOW_INSECURE_URLS, even if one is queued', async () => {
  const strict = await startTestService({ ...WITH_BOTS, ALLOW_INSECURE_URLS: 'false' })
  const hook = await receiver()
  const { body } = await strict.api('POST', '/api/v1/bots/create_bot', { meeting_link: NO_DRIVER })
  const row = await strict.db.selectFrom('events').selectAll().where('bot_id', '=', body.bot_id).orderBy('seq').executeTakeFirstOrThrow()
  const event = {
    id: row.id,
    workspaceId: row.workspace_id as WorkspaceId,
    botId: body.bot_id,
    name: row.name,
    body: row.body,
    at: row.created_at,
  }
  await insertEvent(strict.db, { ...event, id: `${row.id}x` }, [`${hook.url}/hook`])
  const read = async () => (await strict.api('GET', '/api/v1/webhook_deliveries')).body.deliveries[0]
  await until('it is refused', async () => (await read())?.status === 'failed', 5_000)
  expect((await read()).attempts[0]).toMatchObject({ http_status: null, error: expect.stringMatching(/^blocked_address/) })
  expect(hook.received).toEqual([])
  await strict.stop()
})
