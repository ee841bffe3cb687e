// One bot in a real room, from create_bot to Done, is one whole trace.
import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { startCollector } from '../helpers/callers/otlp-collector.ts'
import { startReceiver } from '../helpers/callers/receiver.ts'
import { openForFile } from '../helpers/for-file.ts'
import { ADA, NO_VIDEO, Stage, withoutCamera } from '../helpers/meetings/bot-in-room.ts'
import { startTestService, WITH_BOTS } from '../helpers/service/service.ts'
import { until } from '../helpers/until.ts'

const collector = openForFile(startCollector)
const hook = openForFile(startReceiver)
const service = openForFile(() => startTestService({ ...WITH_BOTS, OTEL_EXPORTER_OTLP_ENDPOINT: collector.url }))

test('traces every status, step and delivery of a bot within the span of the bot', async () => {
  const stage = new Stage(service)
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
