// Ids and cursors of deliveries, which must not reveal the traffic of other workspaces.
import { expect, test } from 'vitest'
import { serviceForFile } from '../helpers/service/for-file.ts'
import { NO_DRIVER } from '../helpers/service/service.ts'
import { until } from '../helpers/until.ts'

const service = serviceForFile({ BOT_WORKERS: '1' })

test('hides the sequence number of a delivery in ids and cursors', async () => {
  // A port without a listener: the delivery fails and is logged.
  const wanted = { meeting_link: NO_DRIVER, callback_url: 'http://127.0.0.1:9/hook' }
  const { body: bot } = await service.api('POST', '/api/v1/bots/create_bot', wanted)
  const path = `/api/v1/webhook_deliveries?bot_id=${bot.bot_id}`
  await until('two are logged', async () => (await service.api('GET', path)).body.deliveries.length > 1, 10_000)
  const { body } = await service.api('GET', `${path}&limit=1`)
  const [{ delivery_id: id, event_id }] = body.deliveries
  const { seq } = await service.db.selectFrom('deliveries').select('seq').where('event_id', '=', event_id).executeTakeFirstOrThrow()

  expect(id).toMatch(/^dlv_[0-9a-f]{32}$/)
  expect(Buffer.from(body.nextCursor, 'base64url').toString()).toBe(JSON.stringify([id]))
  const { body: next } = await service.api('GET', `${path}&cursor=${body.nextCursor}`)
  expect(next.deliveries.length).toBeGreaterThan(0)
  expect(next.deliveries.map((it: { delivery_id: string }) => it.delivery_id)).not.toContain(id)

  const counted = Buffer.from(JSON.stringify([String(seq)])).toString('base64url')
  expect((await service.api('GET', `/api/v1/webhook_deliveries?cursor=${counted}`)).status).toBe(400)
  const stranger = await service.stranger()
  expect((await stranger('POST', `/api/v1/webhook_deliveries/${id}/resend`)).status).toBe(404)
  expect((await stranger('GET', `/api/v1/webhook_deliveries?cursor=${body.nextCursor}`)).status).toBe(400)
})
