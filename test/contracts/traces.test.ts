// Traces of bots, at a collector on loopback.
import { createHash } from 'node:crypto'
import { expect, onTestFinished, test } from 'vitest'
import { attributeOf, startCollector } from '../helpers/callers/otlp-collector.ts'
import { startReceiver } from '../helpers/callers/receiver.ts'
import { clientOf, NO_DRIVER, startTestService } from '../helpers/service/service.ts'
import { until } from '../helpers/until.ts'

const CALLER = { traceId: '4bf92f3577b34da6a3ce929d0e0e4736', spanId: '00f067aa0ba902b7' }
const traceparent = `00-${CALLER.traceId}-${CALLER.spanId}-01`

const start = async (endpoint: string) => {
  const service = await startTestService({ BOT_WORKERS: '1', OTEL_EXPORTER_OTLP_ENDPOINT: endpoint })
  onTestFinished(() => service.stop())
  return service
}

test('gives a bot one trace from its creation to its last event, and links the request of the caller to it', async () => {
  const collector = await startCollector()
  onTestFinished(() => collector.close())
  const receiver = await startReceiver()
  onTestFinished(() => receiver.close())
  const service = await start(collector.url)
  const order = { meeting_link: NO_DRIVER, callback_url: `${receiver.url}/hook` }
  const { body } = await service.api('POST', '/api/v1/bots/create_bot', order, { traceparent })

  const digest = createHash('sha256').update(body.bot_id).digest('hex')
  const [traceId, rootId] = [digest.slice(0, 32), digest.slice(32, 48)]
  const spans = () => collector.spans.filter((span) => span.traceId === traceId)
  const named = (name: string) => spans().filter((span) => span.name === name)
  await until('the whole bot and three deliveries are traced', () => named('bot').length === 1 && named('delivery').length === 3, 20_000)

  const [root] = named('bot')
  expect(root).toMatchObject({ spanId: rootId, status: { code: 2 } })
  expect(root?.parentSpanId ?? '').toBe('')
  expect(attributeOf(root?.attributes ?? [], 'bot.status')).toBe('Failed')
  expect(attributeOf(root?.attributes ?? [], 'error.type')).toBe('PlatformUnavailable')
  expect(attributeOf(root?.resource ?? [], 'service.name')).toBe('emissary')
  const parts = spans().filter((span) => span !== root)
  expect([...new Set(parts.map(({ name }) => name))].toSorted()).toEqual(['Joining', 'delivery'])
  expect(parts.filter(({ parentSpanId }) => parentSpanId !== rootId)).toEqual([])
  for (const { startTimeUnixNano, endTimeUnixNano } of spans())
    expect(BigInt(endTimeUnixNano)).toBeGreaterThanOrEqual(BigInt(startTimeUnixNano))

  const request = await until('the request is traced', () => collector.spans.find(({ name }) => name === 'POST create_bot'), 20_000)
  expect(request).toMatchObject({ traceId: CALLER.traceId, parentSpanId: CALLER.spanId, kind: 2, links: [{ traceId, spanId: rootId }] })
})

test('counts spans that a dead collector refuses, and delays no bot', async () => {
  const service = await start('http://127.0.0.1:9')
  const { body } = await service.api('POST', '/api/v1/bots/create_bot', { meeting_link: NO_DRIVER })
  const status = async () => (await service.api('GET', `/api/v1/bots/${body.bot_id}/status`)).body.status
  await until('the bot ends', async () => (await status()) === 'Failed', 10_000)
  const dropped = async () => /^emissary_spans_dropped_total ([1-9]\d*)$/m.test((await clientOf(service.url, null)('GET', '/metrics')).body)
  await until('the dropped spans are counted', dropped, 30_000)
})
