// The events of the driver in a Zoom call: participants, tracks, speakers, chat, captions, and the end.
import { expect, onTestFinished, test } from 'vitest'
import type { Differences } from '../../../sims/zoom/zoom.ts'
import { openForFile } from '../../helpers/for-file.ts'
import { type DriverOptions, ZoomBench } from '../../helpers/meetings/zoom.ts'
import {
  ENDINGS,
  type JoinedCall,
  joinCall,
  noticesJoinWhileOffline,
  reportsCaptions,
  reportsPerson,
  turnsMicrophoneOnAndOff,
} from '../../helpers/meetings/zoom-call.ts'
import { until } from '../../helpers/until.ts'

const LONG = { timeout: 90_000 }
const SOON = 20_000

const bench = openForFile(() => ZoomBench.open({ sendsToItself: true }), 60_000)

async function joined(differences: Differences = {}, options: DriverOptions = {}): Promise<JoinedCall> {
  const meeting = bench.meeting(differences)
  return joinCall(meeting, await bench.driver(meeting.url, options), 60_000)
}

test.each(['separate', 'mixed', 'wasm'] as const)(
  'attributes cameras and a shared screen to their participant over %s',
  LONG,
  async (media) => {
    const call = await joined({ media })
    const { meeting, driver } = call
    const ann = await meeting.call.join({ name: 'Ann', host: true, colour: '#dc1e1e' })
    await until('Ann is in the roster', () => driver.attendees().others[0]?.cameraOn, SOON)
    expect(driver.attendees().others[0]).toMatchObject({ id: String(ann.userId), isHost: true, cameraOn: true })
    await reportsPerson(call, ann, SOON)
  },
)

test('reports speakers, reads and writes chat, and turns its microphone on and off', LONG, async () => {
  const call = await joined({ joinAudio: 'button' })
  const { meeting, driver, last, of, names } = call
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
  await turnsMicrophoneOnAndOff(call, SOON)
})

test('turns captions on and reports them', LONG, async () => {
  const call = await joined()
  const ann = await call.meeting.call.join({ name: 'Ann' })
  await reportsCaptions(call, ann, SOON)
})

test('asks to record a webinar once the host has made it a panelist, and stays in it', LONG, async () => {
  const meeting = bench.meeting({ kind: 'webinar' })
  const call = await joinCall(meeting, await bench.driver(`${meeting.url}&tk=abc`), 60_000)
  const ann = await meeting.call.join({ name: 'Ann', host: true, voice: 440 })
  await until('Ann speaks', () => call.last('voice')?.speakers.join() === String(ann.userId), SOON)
  expect(meeting.recording.requests).toEqual([])
  meeting.promote()
  await until('it has asked', () => meeting.recording.requests.length > 0, 2 * SOON)
  meeting.recording.allow()
  await until('it may record', () => call.last('recording_permission')?.state === 'allowed', SOON)
  expect([call.names(), call.last('ended')]).toEqual([['Ann'], undefined])
})

test('fails to join a webinar without an e-mail address or a registration', LONG, async () => {
  const driver = await bench.driver(bench.meeting({ kind: 'webinar' }).url)
  onTestFinished(() => driver.leave('at once'))
  expect(await driver.knock(AbortSignal.timeout(60_000))).toMatchObject({
    reason: 'SignInRequired',
    message: expect.stringContaining('tk'),
  })
})

test.each(ENDINGS)('reports the end of the call as %s', LONG, async (cause, act) => {
  const { meeting, last } = await joined()
  act(meeting)
  expect(await until('the end is reported', () => last('ended'), SOON)).toMatchObject({ cause })
})

test('stays in the call after the network was lost for a moment', LONG, async () => {
  const call = await joined()
  await noticesJoinWhileOffline(call, 'Cy', 2 * SOON)
  expect(call.last('ended')).toBeUndefined()
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
