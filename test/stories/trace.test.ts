// One bot in a real room, from create_bot to Done, is one whole trace.
import { createHash } from 'node:crypto'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { launchBrowser } from '../../sims/room/people.ts'
import { ADA, NO_VIDEO, Stage, withoutCamera } from '../helpers/bot-in-room.ts'
import { type Collector, startCollector } from '../helpers/otlp-collector.ts'
import { type Receiver, startReceiver } from '../helpers/receiver.ts'
import { startTestService, type TestService, WITH_BOTS } from '../helpers/service.ts'
import { until } from '../helpers/until.ts'

let service: TestService
let browser: Browser
let hook: Receiver
let collector: Collector
beforeAll(async () => {
  collector = await startCollector()
  service = await startTestService({ ...WITH_BOTS, OTEL_EXPORTER_OTLP_ENDPOINT: collector.url })
  browser = await launchBrowser()
  hook = await startReceiver()
})
afterAll(async () => {
  await browser?.close()
  await service?.stop()
  await hook?.close()
  await collector?.close()
})

test('traces every status, step and delivery of a bot within the span of the bot', async () => {
  const stage = new Stage(service, browser)
  await stage.cast('traced', withoutCamera(ADA))
  const id = await stage.send('traced', { ...NO_VIDEO, callback_url: `${hook.url}/hook` })
  await stage.has(id, 'Recording')
  await stage.finish(id)

  const digest = createHash('sha256').update(id).digest('hex')
  const [traceId, rootId] = [digest.slice(0, 32), digest.slice(32, 48)]
  const spans = () => collector.spans.filter((span) => span.traceId === traceId)
  const root = await until('the whole bot is traced', () => spans().find(({ spanId }) => spanId === rootId), 30_000)
  const events = await until('all events are delivered', () => {
    const names = hook.received.map(({ body }) => body.event)
    return names.includes('bot.done') ? names : null
  })
  await until('all deliveries are traced', () => spans().filter(({ name }) => name === 'delivery').length === events.length, 30_000)

  const names = new Set(spans().map(({ name }) => name))
  const expected = ['POST create_bot', 'wait for a seat', 'launch', 'Joining', 'InWaitingRoom', 'InMeeting', 'Leaving', 'Stopped']
  for (const name of [...expected, 'MediaProcessing', 'audio', 'streams', 'upload', 'delivery', 'bot']) expect([...names]).toContain(name)
  expect(spans().filter((span) => span !== root && span.parentSpanId !== rootId)).toEqual([])
  // A transcription and a delivery end after the change that they report.
  const within = spans().filter(({ name }) => !['delivery', 'transcription', 'POST create_bot'].includes(name))
  for (const { name, startTimeUnixNano, endTimeUnixNano } of within) {
    expect(BigInt(startTimeUnixNano), name).toBeGreaterThanOrEqual(BigInt(root.startTimeUnixNano))
    expect(BigInt(endTimeUnixNano), name).toBeLessThanOrEqual(BigInt(root.endTimeUnixNano))
  }
}, 240_000)
