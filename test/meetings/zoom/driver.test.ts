// What the driver tells of a Zoom call: its people, their tracks and words, and how it ended.
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import type { Differences, Meeting } from '../../../sims/zoom/zoom.ts'
import type { MeetingDriver } from '../../../src/bot/drivers/driver.ts'
import type { MeetingEvent } from '../../../src/domain/meeting.ts'
import { until } from '../../helpers/until.ts'
import { ZoomBench } from '../../helpers/zoom.ts'

const LONG = { timeout: 90_000 }
const SOON = 20_000

let bench: ZoomBench
beforeAll(async () => {
  bench = await ZoomBench.open()
}, 60_000)
afterAll(() => bench?.close())

type Kind = MeetingEvent['kind']
type Joined = {
  readonly meeting: Meeting
  readonly driver: MeetingDriver
  last<Name extends Kind>(kind: Name): Extract<MeetingEvent, { kind: Name }> | undefined
  of<Name extends Kind>(kind: Name): readonly Extract<MeetingEvent, { kind: Name }>[]
  names(): readonly string[]
}

async function joined(differences: Differences = {}): Promise<Joined> {
  const meeting = bench.meeting(differences)
  const driver = await bench.driver(meeting.url)
  onTestFinished(() => driver.leave('at once'))
  const signal = AbortSignal.timeout(60_000)
  expect(await driver.knock(signal)).toEqual({ kind: 'asked' })
  expect(await driver.enter(signal)).toMatchObject({ kind: 'admitted' })
  const events: MeetingEvent[] = []
  void (async () => {
    for await (const event of driver.events()) events.push(event)
  })()
  const of = <Name extends Kind>(kind: Name) => events.filter((it): it is Extract<MeetingEvent, { kind: Name }> => it.kind === kind)
  return { meeting, driver, of, last: (kind) => of(kind).at(-1), names: () => driver.attendees().others.map(({ name }) => name) }
}

test.each(['webrtc', 'wasm'] as const)(
  'tells whose each picture is, also a shared screen, where media comes by %s',
  LONG,
  async (media) => {
    const { meeting, names, last, driver } = await joined({ media })
    const ann = await meeting.call.join({ name: 'Ann', host: true, colour: '#dc1e1e' })
    await until('Ann is told', () => driver.attendees().others[0]?.cameraOn, SOON)
    expect(driver.attendees().others[0]).toMatchObject({ id: String(ann.userId), isHost: true, cameraOn: true })
    const shows = (kind: string) => last('tracks')?.tracks.some((it) => it.participantId === String(ann.userId) && it.kind === kind)
    await until('her camera is told', () => shows('camera'), SOON)
    await ann.share('#f4f4f4')
    await until('her screen is told', () => shows('screen'), SOON)
    ann.rename('Anna')
    await until('her name is told', () => names().join() === 'Anna', SOON)
    ann.leave()
    await until('she is gone', () => names().length === 0, SOON)
  },
)

test('tells who speaks, reads and writes chat, and keeps its microphone off', LONG, async () => {
  const { meeting, driver, last, of, names } = await joined({ joinAudio: 'button' })
  const ann = await meeting.call.join({ name: 'Ann', voice: 440 })
  await until('Ann is told', () => names().includes('Ann'), SOON)
  await until('Ann speaks', () => last('voice')?.speakers.join() === String(ann.userId), SOON)
  ann.write('Are we recorded?')
  await until('the line is told', () => of('chat').length > 0, SOON)
  // The SDK drops a line that comes within a second of another.
  await Promise.all([driver.write('Yes, you are.'), driver.write('Ask the host.')])
  expect(meeting.call.chat().map(({ text }) => text)).toEqual(expect.arrayContaining(['Yes, you are.', 'Ask the host.']))
  expect(of('chat')).toMatchObject([{ from: String(ann.userId), name: 'Ann', text: 'Are we recorded?' }])
  await driver.turn('microphone', true)
  await until('it is on', () => meeting.state()?.muted === false, SOON)
  await driver.turn('microphone', false)
  await until('it is off', () => meeting.state()?.muted === true, SOON)
})

test('turns captions on, and tells what they say', LONG, async () => {
  const { meeting, driver, of } = await joined()
  const ann = await meeting.call.join({ name: 'Ann' })
  await driver.captions(null)
  ann.caption({ text: 'Good', final: false, captionId: 'one' })
  ann.caption({ text: 'Good morning', captionId: 'one' })
  await until('both are told', () => of('caption').length === 2, SOON)
  expect(of('caption')).toMatchObject([
    { from: String(ann.userId), text: 'Good', final: false },
    { from: String(ann.userId), name: 'Ann', text: 'Good morning', final: true },
  ])
})

test.each([
  ['removed', (meeting: Meeting) => meeting.remove(), { how: 'removed' }],
  ['ended', (meeting: Meeting) => meeting.end(), { how: 'ended' }],
] as const)('a call that is %s', LONG, async (_how, act, expected) => {
  const { meeting, last } = await joined()
  act(meeting)
  expect(await until('the end is told', () => last('ended'), SOON)).toMatchObject(expected)
})

test('goes on after a lost network', LONG, async () => {
  const { meeting, names, last } = await joined()
  meeting.dropNetwork()
  await meeting.call.join({ name: 'Cy' })
  meeting.restoreNetwork()
  await until('Cy is told', () => names().includes('Cy'), 2 * SOON)
  expect(last('ended')).toBeUndefined()
})
