// The events of the driver in a Zoom call: participants, tracks, speakers, chat, captions, and the end.
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Differences } from '../../../sims/zoom/zoom.ts'
import { until } from '../../helpers/until.ts'
import { type DriverOptions, ZoomBench } from '../../helpers/zoom.ts'
import { ENDINGS, type JoinedCall, joinCall } from '../../helpers/zoom-call.ts'

const LONG = { timeout: 90_000 }
const SOON = 20_000

let bench: ZoomBench
beforeAll(async () => {
  bench = await ZoomBench.open({ sendsToItself: true })
}, 60_000)
afterAll(() => bench?.close())

async function joined(differences: Differences = {}, options: DriverOptions = {}): Promise<JoinedCall> {
  const meeting = bench.meeting(differences)
  return joinCall(meeting, await bench.driver(meeting.url, options), 60_000)
}

test.each(['webrtc', 'wasm'] as const)('attributes cameras and a shared screen to their participant over %s', LONG, async (media) => {
  const { meeting, names, last, driver } = await joined({ media })
  const ann = await meeting.call.join({ name: 'Ann', host: true, colour: '#dc1e1e' })
  await until('Ann is in the roster', () => driver.attendees().others[0]?.cameraOn, SOON)
  expect(driver.attendees().others[0]).toMatchObject({ id: String(ann.userId), isHost: true, cameraOn: true })
  const shows = (kind: string) => last('tracks')?.tracks.some((it) => it.participantId === String(ann.userId) && it.kind === kind)
  await until('her camera has a track', () => shows('camera'), SOON)
  await ann.share('#f4f4f4')
  await until('her screen has a track', () => shows('screen'), SOON)
  ann.rename('Anna')
  await until('her new name is known', () => names().join() === 'Anna', SOON)
  ann.leave()
  await until('she is gone', () => names().length === 0, SOON)
})

test('reports speakers, reads and writes chat, and turns its microphone on and off', LONG, async () => {
  const { meeting, driver, last, of, names } = await joined({ joinAudio: 'button' })
  const ann = await meeting.call.join({ name: 'Ann', voice: 440 })
  await until('Ann is in the roster', () => names().includes('Ann'), SOON)
  await until('Ann speaks', () => last('voice')?.speakers.join() === String(ann.userId), SOON)
  ann.write('Are we recorded?')
  await until('the message is received', () => of('chat').length > 0, SOON)
  // The SDK drops a line that comes within a second of another, and reports success before the server has the line.
  const lines = ['Yes, you are.', 'Ask the host.']
  await Promise.all(lines.map((line) => driver.write(line)))
  await until('the meeting has all lines', () => meeting.call.chat().length > lines.length, SOON)
  expect(meeting.call.chat().map(({ text }) => text)).toEqual(['Are we recorded?', ...lines])
  expect(of('chat')).toMatchObject([{ from: String(ann.userId), name: 'Ann', text: 'Are we recorded?' }])
  await driver.turn('microphone', true)
  await until('it is on', () => meeting.state()?.muted === false, SOON)
  await driver.turn('microphone', false)
  await until('it is off', () => meeting.state()?.muted === true, SOON)
})

test('turns captions on and reports them', LONG, async () => {
  const { meeting, driver, of } = await joined()
  const ann = await meeting.call.join({ name: 'Ann' })
  await driver.captions(null)
  ann.caption({ text: 'Good', final: false, captionId: 'one' })
  ann.caption({ text: 'Good morning', captionId: 'one' })
  await until('both captions are received', () => of('caption').length === 2, SOON)
  expect(of('caption')).toMatchObject([
    { from: String(ann.userId), text: 'Good', final: false },
    { from: String(ann.userId), name: 'Ann', text: 'Good morning', final: true },
  ])
})

test.each(ENDINGS)('reports the end of the call as %s', LONG, async (cause, act) => {
  const { meeting, last } = await joined()
  act(meeting)
  expect(await until('the end is reported', () => last('ended'), SOON)).toMatchObject({ cause })
})

test('stays in the call after the network was lost for a moment', LONG, async () => {
  const { meeting, names, last } = await joined()
  meeting.dropNetwork()
  await meeting.call.join({ name: 'Cy' })
  meeting.restoreNetwork()
  await until('Cy is in the roster', () => names().includes('Cy'), 2 * SOON)
  expect(last('ended')).toBeUndefined()
})

/** Runs before the page's own code: its first connections to itself fail. */
const failingConnections = (times: number) => `{
  let failures = ${times}
  const { setLocalDescription } = RTCPeerConnection.prototype
  RTCPeerConnection.prototype.setLocalDescription = function (...given) {
    return failures-- > 0 ? Promise.reject(new Error('broken by the test')) : setLocalDescription.apply(this, given)
  }
}`

test('opens the connection of decoded media again after it failed', LONG, async () => {
  const { meeting, last } = await joined({ media: 'wasm' }, { scripts: [failingConnections(2)] })
  const ann = await meeting.call.join({ name: 'Ann', host: true, colour: '#dc1e1e' })
  const shows = () => last('tracks')?.tracks.some((it) => it.participantId === String(ann.userId) && it.kind === 'camera')
  await until('her camera has a track', shows, SOON)
  expect(last('ended')).toBeUndefined()
})

test('ends with a reason when the connection of decoded media fails again and again', LONG, async () => {
  const { meeting, last } = await joined({ media: 'wasm' }, { scripts: [failingConnections(1_000)] })
  await meeting.call.join({ name: 'Ann', host: true, colour: '#dc1e1e' })
  expect(await until('the call has ended', () => last('ended'), SOON)).toMatchObject({
    cause: 'lost',
    message: expect.stringMatching(/^The sound and pictures that Zoom's client decodes could not be recorded: .* failed 3 times$/),
  })
})
