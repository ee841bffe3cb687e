// The log of webhook deliveries.
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type Receiver, startReceiver } from '../helpers/callers/receiver.ts'
import { serviceForFile } from '../helpers/service/for-file.ts'
import { NO_DRIVER, WITH_BOTS } from '../helpers/service/service.ts'
import { until } from '../helpers/until.ts'

const ENDPOINTS = '/api/v1/webhook_endpoints'

const service = serviceForFile(WITH_BOTS)
let hook: Receiver
beforeEach(async () => {
  hook = await startReceiver()
})
afterEach(async () => {
  await hook.close()
  for (const { id } of (await service.api('GET', ENDPOINTS)).body.endpoints) await service.api('DELETE', `${ENDPOINTS}/${id}`)
})

const add = (events: readonly string[]) => service.api('POST', ENDPOINTS, { url: `${hook.url}/hook`, events })
const createBot = (body: object = {}) => service.api('POST', '/api/v1/bots/create_bot', { meeting_link: NO_DRIVER, ...body })
const logOf = async (query: string) => (await service.api('GET', `/api/v1/webhook_deliveries?${query}`)).body.deliveries

describe('the delivery log', () => {
  test('is filtered by endpoint, bot, event and status, and paged', async () => {
    const { body: endpoint } = await add(['*'])
    const { body: bot } = await createBot({ callback_url: `${hook.url}/callback` })
    await hook.waitFor(6)
    await until('all are delivered', async () => (await logOf(`bot_id=${bot.bot_id}&status=delivered`)).length === 6, 5_000)
    expect(await logOf(`endpoint_id=${endpoint.id}`)).toHaveLength(3)
    expect(await logOf(`bot_id=${bot.bot_id}&event=bot.done`)).toHaveLength(2)
    expect(await logOf(`bot_id=${bot.bot_id}&status=failed`)).toEqual([])
    expect(await logOf('endpoint_id=whe_unknown')).toEqual([])
    const pages: string[] = []
    for (let cursor = ''; ; ) {
      const { body } = await service.api('GET', `/api/v1/webhook_deliveries?bot_id=${bot.bot_id}&limit=4${cursor && `&cursor=${cursor}`}`)
      pages.push(...body.deliveries.map((it: { delivery_id: string }) => it.delivery_id))
      if (!body.hasNextPage) break
      cursor = body.nextCursor
    }
    expect(new Set(pages).size).toBe(6)
  })

  test('resends a delivery with the same ids', async () => {
    hook.answerWith((_it, response) => void response.writeHead(500).end('not now'))
    await add(['bot.done'])
    const { body: bot } = await createBot()
    await until('it failed', async () => (await logOf(`bot_id=${bot.bot_id}`))[0]?.status === 'failed', 10_000)
    const [failed] = await logOf(`bot_id=${bot.bot_id}`)
    expect(failed.attempts).toMatchObject([{ http_status: 500, answer_head: 'not now' }])
    hook.answerWith((_it, response) => void response.end('thanks'))
    const answer = await service.api('POST', `/api/v1/webhook_deliveries/${failed.delivery_id}/resend`)
    expect(answer).toMatchObject({ status: 200, body: { delivery_id: failed.delivery_id } })
    await until('it was received', async () => (await logOf(`bot_id=${bot.bot_id}`))[0]?.status === 'delivered', 5_000)
    const [{ attempts }] = await logOf(`bot_id=${bot.bot_id}`)
    expect(attempts).toMatchObject([{ http_status: 500 }, { number: 2, http_status: 200, answer_head: 'thanks' }])
    expect(hook.received.map((it) => it.body.event_id)).toEqual([failed.event_id, failed.event_id])
  })

  test.each(['dlv_zzzzzzzzzz', 'dlv_0000000000', 'dlv_1', 'nonsense', '%00'])('answers 404 for the delivery %s', async (id) => {
    expect(await service.api('POST', `/api/v1/webhook_deliveries/${id}/resend`)).toMatchObject({ status: 404 })
  })
})
