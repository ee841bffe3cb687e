// The events that the Teams driver reports: participants, streams, chat, captions and the end.
import { expect, onTestFinished, test } from 'vitest'
import type { Meeting, Scenario } from '../../../sims/teams/teams.ts'
import type { MeetingDriver } from '../../../src/bot/drivers/driver.ts'
import { teams } from '../../../src/bot/drivers/teams/client.ts'
import { type MeetingEvent, printTrackRef } from '../../../src/domain/meeting.ts'
import { openForFile } from '../../helpers/for-file.ts'
import { TeamsBench } from '../../helpers/meetings/teams.ts'
import { until } from '../../helpers/until.ts'

const LONG = { timeout: 90_000 }
const SOON = 20_000

const bench = openForFile(() => TeamsBench.open())

type Kind = MeetingEvent['kind']
type Joined = {
  readonly meeting: Meeting
  readonly driver: MeetingDriver
  readonly events: readonly MeetingEvent[]
  last<Name extends Kind>(kind: Name): Extract<MeetingEvent, { kind: Name }> | undefined
  of<Name extends Kind>(kind: Name): readonly Extract<MeetingEvent, { kind: Name }>[]
  names(): readonly string[]
  ownerOf(ref: string): string | undefined
}

async function joined(
  scenario: Partial<Scenario> = {},
  before: (meeting: Meeting) => Promise<unknown> = async () => null,
  client = teams,
): Promise<Joined> {
  const meeting = bench.meeting({ knock: 'admitted', ...scenario })
  await before(meeting)
  const driver = await bench.driver(meeting.url, null, client)
  onTestFinished(() => driver.leave('at once'))
  const signal = AbortSignal.timeout(60_000)
  expect(await driver.knock(signal)).toEqual({ kind: 'asked' })
  expect(await driver.enter(signal)).toEqual({ kind: 'admitted' })
  const events: MeetingEvent[] = []
  void (async () => {
    for await (const event of driver.events()) events.push(event)
  })()
  await until('the media is there', () => meeting.state() !== null, SOON)
  const of = <Name extends Kind>(kind: Name) => events.filter((it): it is Extract<MeetingEvent, { kind: Name }> => it.kind === kind)
  const last = <Name extends Kind>(kind: Name) => of(kind).at(-1)
  const names = () => driver.attendees().others.map(({ name }) => name)
  const ownerOf = (ref: string) => {
    const owner = last('tracks')?.tracks.find(({ track }) => printTrackRef(track) === ref)
    return owner && `${owner.participantId} ${owner.kind}`
  }
  return { meeting, driver, events, of, last, names, ownerOf }
}

test('reports joins, departures, sources and cameras, and no participant of another call', LONG, async () => {
  const call = await joined({ ownTwice: true }, (meeting) => meeting.call.join({ name: 'Ann Lee', role: 'organizer', colour: '#dc1e1e' }))
  const { meeting, names, driver, ownerOf } = call
  await until('Ann is reported', () => names().includes('Ann Lee'), SOON)
  const [ann] = driver.attendees().others
  expect(ann).toMatchObject({ name: 'Ann Lee', isHost: true, microphoneOn: true, cameraOn: true })
  const ben = await meeting.call.join({ name: 'Ben', kind: 'guest', muted: true })
  await until('Ben is reported', () => names().includes('Ben'), SOON)
  expect(driver.attendees().others.at(-1)).toMatchObject({ name: 'Ben', isHost: false, microphoneOn: false, cameraOn: false })
  expect(ownerOf(`csrc:${ben.audioSource}`)).toBe(`${ben.id} audio`)
  const stranger = {
    details: { id: '8:orgid:x', displayName: 'Room Two' },
    state: 'active',
    meetingRole: 'attendee',
    endpoints: {},
  } as const
  meeting.leakRoster({ participants: { other: stranger } }, 'another-call')
  await ben.share('#f4f4f4')
  await until(
    'his screen is reported',
    () => call.last('tracks')?.tracks.some(({ participantId, kind }) => participantId === ben.id && kind === 'screen'),
    SOON,
  )
  ben.stopSharing()
  ben.rename('Benjamin')
  await until('his name is reported', () => names().includes('Benjamin'), SOON)
  ben.leave()
  await until('he is gone', () => names().join() === 'Ann Lee', SOON)
  const everNamed = new Set(call.of('people').flatMap(({ others }) => others.map(({ name }) => name)))
  expect([...everNamed].toSorted()).toEqual(['Ann Lee', 'Ben', 'Benjamin'])
})

test('reports speakers, also two at once, and their silence', LONG, async () => {
  const { meeting, last } = await joined({ globals: 'none' })
  const ann = await meeting.call.join({ name: 'Ann Lee', voice: 440 })
  await until('Ann speaks', () => last('voice')?.speakers.join() === ann.id, SOON)
  const ben = await meeting.call.join({ name: 'Ben', voice: 1_000 })
  await until('both speak', () => last('voice')?.speakers.toSorted().join() === [ann.id, ben.id].toSorted().join(), SOON)
  ann.mute()
  ben.mute()
  await until('nobody speaks', () => last('voice')?.speakers.length === 0, SOON)
})

test('reads and writes chat and keeps its microphone off, also when the client is in a frame', LONG, async () => {
  const { meeting, driver, of, names } = await joined({ unmutesItself: true, devicesOn: true, frame: 'iframe' })
  const ann = await meeting.call.join({ name: 'Ann Lee' })
  await until('Ann is reported', () => names().includes('Ann Lee'), SOON)
  ann.write('<p>Are we <b>recorded</b>?</p>')
  meeting.call.notify('ThreadActivity/AddMember', '<x>y</x>')
  await until('the line is reported', () => of('chat').length > 0, SOON)
  await driver.write('Yes, you are.')
  expect(meeting.call.chat().map(({ content }) => content)).toContain('<p>Yes, you are.</p>')
  expect(of('chat')).toMatchObject([{ from: ann.id, name: 'Ann Lee', text: 'Are we recorded?' }])
  await until('the microphone is off', () => meeting.state()?.microphone === false, SOON)
})

test('reports people who were there before, where only the snapshot lists them', LONG, async () => {
  const { names } = await joined({ firstRoster: 'changes' }, ({ call }) => call.join({ name: 'Ann Lee' }))
  await until('Ann is reported', () => names().includes('Ann Lee'), SOON)
})

test.each([
  ['removed', (meeting: Meeting) => meeting.remove({ id: '8:orgid:o', name: 'Olga' }), { cause: 'removed', by: 'Olga' }],
  ['ended', (meeting: Meeting) => meeting.end(), { cause: 'ended' }],
] as const)('reports the end of the call as %s', LONG, async (_how, act, expected) => {
  const { meeting, last } = await joined()
  act(meeting)
  const ended = await until('the end is reported', () => last('ended'), SOON)
  expect(ended).toMatchObject(expected)
})

test.each(['ended_title', 'call_ended', 'left'] as const)(
  'takes the page %s for the end of the meeting, by its text alone',
  LONG,
  async (screen) => {
    const { meeting, last } = await joined()
    meeting.show(screen)
    expect(await until('the end is reported', () => last('ended'), SOON)).toMatchObject({ cause: 'ended' })
  },
)

test.each(['en-US', 'de', 'nl', 'zh'] as const)('consents to the recording of another participant, asked in %s', LONG, async (language) => {
  const { meeting, driver } = await joined({ asksConsent: true, language })
  await until('it has answered', () => meeting.pressed.some(({ control }) => control === 'consent'), SOON)
  await driver.write('I am here.')
  expect(meeting.pressed.map(({ control }) => control)).not.toContain('no_consent')
  expect(meeting.call.chat()).toHaveLength(1)
})

const { traffic: _, ...BY_TILES } = teams

test.each([
  ['current', 'glued'],
  ['older', 'glued'],
  ['older', 'listed'],
  ['older', 'none'],
] as const)('takes the names of external people from tiles (%s) without their badges (%s)', LONG, async (tiles, badges) => {
  const kinds = ['visitor', 'guest', 'personal', 'work'] as const
  const { names } = await joined(
    { tiles, badges },
    ({ call }) => Promise.all(kinds.map((kind) => call.join({ name: `Ann ${kind}`, kind, muted: kind === 'guest' }))),
    BY_TILES,
  )
  // The bot is in no list here, so its own tile counts.
  const others = () => names().filter((name) => name.startsWith('Ann'))
  await until('all are there', () => others().toSorted().join() === 'Ann guest,Ann personal,Ann visitor,Ann work', SOON)
})

test('turns captions on through the client’s own code, and restores their language when the host resets it', LONG, async () => {
  const { meeting, driver, of } = await joined({ globals: 'msteamscalling' })
  const ann = await meeting.call.join({ name: 'Ann Lee' })
  await driver.captions('de')
  await until('they are in German', () => meeting.state()?.captions === 'de-de', SOON)
  const reportsOf = (language: string) => meeting.asked.filter(({ body }) => body.includes(`"captions":"${language}"`)).length
  const before = { reset: reportsOf('en-us'), german: reportsOf('de-de') }
  meeting.resetCaptionLanguage()
  await until('they are reset', () => reportsOf('en-us') > before.reset, SOON)
  await until('they are in German again', () => reportsOf('de-de') > before.german, SOON)
  ann.caption({ text: 'Guten', final: false, captionId: 'one' })
  ann.caption({ text: 'Hallo', speakerId: '5f0c@local' })
  await until('both are reported', () => of('caption').length === 2, SOON)
  expect(of('caption')).toMatchObject([
    { from: ann.id, name: 'Ann Lee', text: 'Guten', final: false },
    { from: '5f0c@local', name: 'Speaker 1', text: 'Hallo', final: true },
  ])
  expect(driver.attendees().others.map(({ name }) => name)).toEqual(['Ann Lee', 'Speaker 1'])
})

test.each(['nested', 'top'] as const)(
  'turns captions on through the %s menu when the client exposes nothing in `window`',
  LONG,
  async (captionsMenu) => {
    const { meeting, driver } = await joined({ globals: 'none', captionsMenu })
    await driver.captions(null)
    await until('they are on', () => meeting.state()?.captions === 'en-us', SOON)
  },
)

test.each([{ globals: 'msteamscalling' }, { globals: 'none' }] as const)(
  'turns requested captions on again in each breakout room and back in the meeting (%j)',
  LONG,
  async (scenario) => {
    const { meeting, driver } = await joined({ ...scenario, roomMove: 'countdown' })
    await driver.captions(null)
    const areOnIn = (room: string) =>
      until(`they are on in “${room}”`, () => meeting.inside()[0]?.room === room && meeting.state()?.captions === 'en-us', SOON)
    await areOnIn('')
    for (const room of ['Red', 'Blue', null]) {
      meeting.move(room)
      await areOnIn(room ?? '')
    }
  },
)

test('stays in the meeting and says so where the button of a breakout room has no effect', LONG, async () => {
  const { meeting, of } = await joined({ roomMove: 'dead_button' })
  meeting.move('Red')
  const problem = await until('it says so', () => of('problem')[0], SOON)
  expect(problem).toMatchObject({ step: 'breakout room', message: expect.stringContaining('could not') })
  expect(of('ended')).toEqual([])
  expect(meeting.inside()).toMatchObject([{ room: '' }])
})

test('continues after a lost network, and reports people who left meanwhile', LONG, async () => {
  const { meeting, names, last, driver } = await joined({}, (it) => it.call.join({ name: 'Ann Lee', voice: 440 }))
  const ben = await meeting.call.join({ name: 'Ben' })
  await until('both are reported', () => names().toSorted().join() === 'Ann Lee,Ben', SOON)
  meeting.dropNetwork()
  ben.leave()
  await meeting.call.join({ name: 'Cy' })
  meeting.restoreNetwork()
  await until('Cy is reported', () => names().includes('Cy'), 2 * SOON)
  await until('Ben is gone', () => names().toSorted().join() === 'Ann Lee,Cy', SOON)
  await driver.write('I am back.')
  expect(last('ended')).toBeUndefined()
  expect(meeting.call.chat().map(({ content }) => content)).toContain('<p>I am back.</p>')
})
