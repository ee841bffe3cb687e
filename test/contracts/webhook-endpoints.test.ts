// Webhook endpoints, their deliveries and replays.
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { EVENT_NAMES } from '../../src/domain/announcements.ts'
import { type Receiver, startReceiver } from '../helpers/callers/receiver.ts'
import { serviceForFile } from '../helpers/service/for-file.ts'
import { type Answer, NO_DRIVER, WITH_BOTS } from '../helpers/service/service.ts'
import { until } from '../helpers/until.ts'

const PATH = '/api/v1/webhook_endpoints'

const service = serviceForFile(WITH_BOTS)
let hook: Receiver
beforeEach(async () => {
  hook = await startReceiver()
})
afterEach(async () => {
  await hook.close()
  for (const { id } of (await service.api('GET', PATH)).body.endpoints) await service.api('DELETE', `${PATH}/${id}`)
})

const add = (body: object = {}): Promise<Answer> => service.api('POST', PATH, { url: `${hook.url}/hook`, events: ['*'], ...body })
const createBot = (body: object = {}): Promise<Answer> =>
  service.api('POST', '/api/v1/bots/create_bot', { meeting_link: NO_DRIVER, ...body })
const logOf = async (query: string) => (await service.api('GET', `/api/v1/webhook_deliveries?${query}`)).body.deliveries

describe('a webhook endpoint', () => {
  test('shows its secret only at creation', async () => {
    const { status, body } = await add({ events: ['bot.done', 'bot.stopped', 'bot.done'], description: 'CRM', retry: 'standard' })
    expect(status).toBe(201)
    const { secret, ...shown } = body
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
    expect(shown).toEqual({
      id: expect.stringMatching(/^whe_/),
      endpoint_id: body.id,
      url: `${hook.url}/hook`,
      description: 'CRM',
      events: ['bot.done', 'bot.stopped'],
      retry: 'standard',
      enabled: true,
      disabled_at: null,
      disabled_reason: null,
      failing_since: null,
      created_at: expect.stringMatching(/Z$/),
      updated_at: expect.stringMatching(/Z$/),
    })
    expect((await service.api('GET', `${PATH}/${body.id}`)).body).toEqual(shown)
    expect((await service.api('GET', PATH)).body).toEqual({ endpoints: [shown] })
    const kept = await service.db.selectFrom('webhook_endpoints').select('secret').executeTakeFirstOrThrow()
    expect(kept.secret.toString('latin1')).not.toContain(secret.slice(6, 20))
  })

  test('is changed field by field', async () => {
    const { body } = await add()
    const change = (fields: object) => service.api('PATCH', `${PATH}/${body.id}`, fields)
    expect((await change({ description: 'New' })).body).toMatchObject({ description: 'New', events: ['*'], retry: 'none' })
    expect((await change({ description: null, events: ['bot.done'] })).body).toMatchObject({ description: null, events: ['bot.done'] })
    expect((await change({ url: `${hook.url}/other`, retry: 'standard' })).body).toMatchObject({
      url: `${hook.url}/other`,
      retry: 'standard',
    })
    expect((await change({ enabled: false })).body).toMatchObject({
      enabled: false,
      disabled_at: expect.stringMatching(/Z$/),
      disabled_reason: 'Disabled on request.',
    })
    expect((await change({ enabled: true })).body).toMatchObject({ enabled: true, disabled_at: null, disabled_reason: null })
    expect(await service.api('DELETE', `${PATH}/${body.id}`)).toMatchObject({ status: 200, body: { endpoint_id: body.id } })
    expect((await change({})).status).toBe(404)
  })

  test.each([
    [{ events: ['bot.done', 'bot.dnoe'] }, /^events .*"bot\.dnoe".*bot\.done/],
    [{ events: [] }, /^events /],
    [{ events: 'bot.done' }, /^events /],
    [{ url: 'ftp://example.com/' }, /^url must be an http or https URL/],
    [{ url: 'nowhere' }, /^url /],
    [{ url: 7 }, /^url /],
    [{ retry: 'often' }, /^retry /],
    [{ description: 'x'.repeat(501) }, /^description /],
  ])('is rejected with %j', async (fields, message) => {
    expect(await add(fields)).toMatchObject({ status: 400, body: { message: expect.stringMatching(message) } })
    const { body } = await add()
    expect(await service.api('PATCH', `${PATH}/${body.id}`, fields)).toMatchObject({
      status: 400,
      body: { message: expect.stringMatching(message) },
    })
  })

  test('is limited to ten per workspace, also for concurrent requests', async () => {
    const answers = await Promise.all(Array.from({ length: 25 }, () => add()))
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(10)
    expect(answers.find(({ status }) => status !== 201)).toMatchObject({
      status: 409,
      body: { message: expect.stringMatching(/at most 10/) },
    })
    const other = await service.stranger()
    expect((await other('POST', PATH, { url: hook.url, events: ['*'] })).status).toBe(201)
  })

  test('subscribes to every event', async () => {
    expect((await add({ events: [...EVENT_NAMES] })).body.events).toEqual([...EVENT_NAMES])
  })
})

describe('an event', () => {
  test('is sent to every subscribed endpoint, signed, and to callback_url, unsigned', async () => {
    await add({ url: `${hook.url}/all` })
    await add({ url: `${hook.url}/done`, events: ['bot.done'] })
    await add({ url: `${hook.url}/never`, events: ['data_deletion'] })
    const { body } = await createBot({ callback_url: `${hook.url}/callback` })
    const stranger = await service.stranger()
    await stranger('POST', '/api/v1/bots/create_bot', { meeting_link: NO_DRIVER })
    const received = await hook.waitFor(7)
    const at = (path: string) => received.filter((it) => it.path === path)
    const story = ['bot.joining', 'bot.stopped', 'bot.done']
    expect(at('/all').map((it) => it.body.event)).toEqual(story)
    expect(at('/callback').map((it) => it.body.event)).toEqual(story)
    expect(at('/done').map((it) => it.body.event)).toEqual(['bot.done'])
    expect(at('/all').map((it) => it.body)).toEqual(at('/callback').map((it) => it.body))
    expect(received.every((it) => it.body.bot_id === body.bot_id)).toBe(true)
    for (const it of received) expect('x-service-signature' in it.headers, it.path).toBe(it.path !== '/callback')
    const ids = new Set((await logOf(`bot_id=${body.bot_id}`)).map((it: { endpoint_id: string | null }) => it.endpoint_id))
    expect(ids.size).toBe(3)
    expect(ids.has(null)).toBe(true)
  })

  test('is not sent to a disabled endpoint, but by a later replay, in order with the same ids', async () => {
    const { body: endpoint } = await add({ events: ['bot.joining', 'bot.done'] })
    await service.api('PATCH', `${PATH}/${endpoint.id}`, { enabled: false })
    for (const path of ['test', 'replay']) {
      const body = { from: '2020-01-01T00:00:00Z', to: '2099-01-01T00:00:00Z' }
      expect(await service.api('POST', `${PATH}/${endpoint.id}/${path}`, path === 'replay' ? body : undefined)).toMatchObject({
        status: 409,
        body: { message: expect.stringMatching(/disabled/) },
      })
    }
    const from = new Date().toISOString()
    const bots = await Promise.all([createBot(), createBot()])
    await until('both have ended', () => ended(bots), 10_000)
    expect(hook.received).toEqual([])
    await service.api('PATCH', `${PATH}/${endpoint.id}`, { enabled: true })
    const to = new Date(Date.now() + 1_000).toISOString()
    const replayed = await service.api('POST', `${PATH}/${endpoint.id}/replay`, { from, to })
    expect(replayed).toMatchObject({ status: 200, body: { queued: 4 } })
    const received = await hook.waitFor(4)
    for (const { body } of bots) {
      const own = received.filter((it) => it.body.bot_id === body.bot_id)
      expect(own.map((it) => it.body.event)).toEqual(['bot.joining', 'bot.done'])
      for (const it of own) expect(it.headers['webhook-id']).toBe(it.body.event_id)
    }
  })

  async function ended(bots: readonly Answer[]): Promise<boolean> {
    const states = await Promise.all(bots.map(({ body }) => service.api('GET', `/api/v1/bots/${body.bot_id}/status`)))
    return states.every(({ body }) => body.status === 'Failed')
  }

  test('is not sent to a deleted endpoint, whose queued deliveries end and whose log stays', async () => {
    hook.answerWith((_it, response) => void response.destroy())
    const { body: endpoint } = await add()
    const { body: bot } = await createBot()
    await until('the first try failed', async () => (await logOf(`bot_id=${bot.bot_id}`)).at(-1)?.error, 5_000)
    await until('all three are written', async () => (await logOf(`bot_id=${bot.bot_id}`)).length === 3, 5_000)
    await service.api('DELETE', `${PATH}/${endpoint.id}`)
    const log = await logOf(`endpoint_id=${endpoint.id}`)
    expect(log.map((it: { status: string; error: string }) => [it.status, it.error])).toEqual(
      Array.from({ length: 3 }, () => ['failed', 'The endpoint was deleted.']),
    )
    const again = await service.api('POST', `/api/v1/webhook_deliveries/${log[0].delivery_id}/resend`)
    expect(again).toMatchObject({ status: 409, body: { message: expect.stringMatching(/disabled or deleted/) } })
  })

  test('is sent to the current URL of the endpoint, also if it was queued before', async () => {
    hook.answerWith((_it, response) => void response.destroy())
    const { body: endpoint } = await add()
    const { body: bot } = await createBot()
    await until('the first try failed', async () => (await logOf(`bot_id=${bot.bot_id}`)).at(-1)?.error, 5_000)
    const moved = await startReceiver()
    await service.api('PATCH', `${PATH}/${endpoint.id}`, { url: `${moved.url}/new` })
    expect((await moved.waitFor(3, 9_000)).map((it) => it.body.event)).toEqual(['bot.joining', 'bot.stopped', 'bot.done'])
    await moved.close()
  })
})

describe('a test event', () => {
  test('is delivered like other events and logged', async () => {
    const { body: endpoint } = await add({ events: ['bot.done'] })
    const { status, body } = await service.api('POST', `${PATH}/${endpoint.id}/test`)
    expect(status).toBe(200)
    const [it] = await hook.waitFor(1)
    expect(it?.body).toMatchObject({ event: 'webhook_endpoint.test', endpoint_id: endpoint.id, event_id: body.event_id })
    await until('it is logged', async () => (await logOf(`endpoint_id=${endpoint.id}`))[0]?.status === 'delivered', 5_000)
    expect((await logOf(`endpoint_id=${endpoint.id}`))[0]).toMatchObject({
      delivery_id: body.delivery_id,
      event_id: body.event_id,
      bot_id: null,
      url: `${hook.url}/hook`,
      attempts: [{ number: 1, http_status: 200, answer_head: 'ok', duration_ms: expect.any(Number), at: expect.stringMatching(/Z$/) }],
    })
  })
})

describe('a replay', () => {
  test.each([
    [{ from: 'yesterday', to: '2026-11-15T10:00:00Z' }, /^from /],
    [{ from: '2026-11-15T09:00:00Z', to: '2026-02-30T10:00:00Z' }, /^to /],
    [{ from: '2026-11-15T10:00:00Z', to: '2026-11-15T10:00:00Z' }, /^from must be before to/],
    [{ from: '2026-11-15T10:00:00Z' }, /^to /],
  ])('is rejected for %j', async (span, message) => {
    const { body } = await add()
    const answer = await service.api('POST', `${PATH}/${body.id}/replay`, span)
    expect(answer).toMatchObject({ status: 400, body: { message: expect.stringMatching(message) } })
  })

  test('sends nothing for a range without events', async () => {
    const { body } = await add()
    const span = { from: '1950-01-01T00:00:00Z', to: '1999-01-01T00:00:00Z' }
    expect((await service.api('POST', `${PATH}/${body.id}/replay`, span)).body).toMatchObject({ queued: 0 })
  })
})
