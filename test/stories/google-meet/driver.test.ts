// The Google Meet driver by itself: the events it reports, and its use of the call's controls.
import { expect, onTestFinished, test } from 'vitest'
import { type Meeting, type Scenario, startMeet } from '../../../sims/google-meet/meet.ts'
import { launchBrowser } from '../../../src/bot/drivers/browser.ts'
import type { MeetingDriver } from '../../../src/bot/drivers/driver.ts'
import { driverOf } from '../../../src/bot/drivers/registry.ts'
import { createOutgoingMedia } from '../../../src/bot/outgoing/outgoing.ts'
import { LEAVE_DEFAULTS } from '../../../src/domain/automatic-leave.ts'
import type { BotSpec } from '../../../src/domain/bot.ts'
import type { MeetingEvent } from '../../../src/domain/meeting.ts'
import { openForFile } from '../../helpers/for-file.ts'
import { printedOwners } from '../../helpers/media/track-owners.ts'
import { workerTools } from '../../helpers/meetings/driver-tools.ts'
import { until } from '../../helpers/until.ts'

const LONG = 60_000
const NEVER = new AbortController().signal

const meet = openForFile(startMeet)
const browser = openForFile(() => launchBrowser(undefined, meet.flags))
let meetings = 0

type Call = { readonly meeting: Meeting; readonly driver: MeetingDriver; readonly events: readonly MeetingEvent[] }

function newMeeting(scenario: Partial<Scenario>): Meeting {
  meetings += 1
  return meet.meeting(`dri-verx-${String.fromCharCode(96 + meetings)}bc`.slice(0, 12), { knock: 'admitted', ...scenario })
}

async function join(meeting: Meeting, before: (driver: MeetingDriver) => Promise<void> = async () => undefined): Promise<Call> {
  const spec: Partial<BotSpec> = {
    name: 'Emissary',
    meeting: { kind: 'link', platform: 'google_meet', meetingId: meeting.code, url: meeting.url, joinable: true, reason: null },
    leave: LEAVE_DEFAULTS,
  }
  const scripts = [createOutgoingMedia().initScript]
  const driver = await driverOf('google_meet').create({
    ...workerTools(),
    browser,
    display: null,
    spec: spec as BotSpec,
    scripts,
  })
  onTestFinished(() => driver.leave('at once'))
  await before(driver)
  expect(await driver.knock(NEVER)).toEqual({ kind: 'asked' })
  expect(await driver.enter(AbortSignal.timeout(20_000))).toEqual({ kind: 'admitted' })
  const events: MeetingEvent[] = []
  void (async () => {
    for await (const event of driver.events()) events.push(event)
  })()
  return { meeting, driver, events }
}

function last<Kind extends MeetingEvent['kind']>({ events }: Call, kind: Kind): Extract<MeetingEvent, { kind: Kind }> | undefined {
  return events.findLast((it): it is Extract<MeetingEvent, { kind: Kind }> => it.kind === kind)
}

const ownerOf = (call: Call, trackId: string) => printedOwners(last(call, 'tracks')?.tracks).find((it) => it.trackId === trackId)
const names = ({ driver }: Call) => driver.attendees().others.map(({ name }) => name)

const PATHS: readonly Partial<Scenario>[] = [
  { media: 'native' },
  { media: 'neteq' },
  { media: 'neteq', encodedStreams: 'asked_for' },
  { media: 'native', takesFrames: 'always' },
]

test.each(PATHS)('reports participants, speakers and stream owners: %o', { timeout: LONG }, async (scenario) => {
  const meeting = newMeeting(scenario)
  const ann = await meeting.space.join({ name: 'Ann', host: true, voice: 440, colour: '#2040c0' })
  const ben = await meeting.space.join({ name: 'Ben', voice: 700, muted: true })
  const call = await join(meeting)
  await until('both are known', () => names(call).length === 2, 20_000)
  await until('Ann speaks', () => last(call, 'voice')?.speakers.join() === ann.deviceId, 10_000)
  expect(ownerOf(call, `csrc:${ann.source()}`)).toEqual({ trackId: `csrc:${ann.source()}`, participantId: ann.deviceId, kind: 'audio' })
  expect(call.driver.attendees().others).toMatchObject([
    { name: 'Ann', isHost: true, microphoneOn: true, cameraOn: true },
    { name: 'Ben', isHost: false, microphoneOn: false, cameraOn: false },
  ])

  const before = ann.source()
  ann.mute()
  await until('nobody speaks', () => last(call, 'voice')?.speakers.length === 0, 10_000)
  ann.unmute({ newSource: true })
  await until('Ann has another source', () => ownerOf(call, `csrc:${ann.source()}`)?.participantId === ann.deviceId, 10_000)
  expect(ownerOf(call, `csrc:${before}`), 'the old one is nobody’s').toBeUndefined()
  ben.unmute({ newSource: before })
  await until('Ben has it now', () => ownerOf(call, `csrc:${before}`)?.participantId === ben.deviceId, 10_000)

  await ben.share('#e07020')
  await until(
    'a screen of Ben’s',
    () => last(call, 'tracks')?.tracks.some((it) => it.kind === 'screen' && it.participantId === ben.deviceId),
    10_000,
  )
  expect(names(call), 'a screen is no person').toEqual(['Ann', 'Ben'])
  ann.leave()
  await until('Ann is gone', () => names(call).join() === 'Ben', 20_000)
})

test('names what comes from a room with merged audio after all of its people', { timeout: LONG }, async () => {
  const meeting = newMeeting({})
  const ada = await meeting.space.join({ name: 'Ada', room: 'meeting room', voice: 440 })
  const ben = await meeting.space.join({ name: 'Ben', room: 'meeting room', muted: true })
  const cy = await meeting.space.join({ name: 'Cy', voice: 700, muted: true })
  expect(ben.source(), 'one source').toBe(ada.source())
  const call = await join(meeting)
  const room = { id: 'room:meeting room', name: 'Ada, Ben' }
  await until('the room is known', () => names(call).join('; ') === 'Ada; Ben; Cy; Ada, Ben', 20_000)
  expect(call.driver.attendees().others).toContainEqual({ ...room, isHost: false, microphoneOn: true, cameraOn: false })
  await until('the room speaks', () => last(call, 'voice')?.speakers.join() === room.id, 10_000)
  expect(ownerOf(call, `csrc:${ada.source()}`)).toMatchObject({ participantId: room.id, kind: 'audio' })
  ada.caption({ text: 'We think so.' })
  await call.driver.captions(null)
  ada.caption({ text: 'We think so.', final: true })
  await until('the caption is the room’s', () => last(call, 'caption')?.name === room.name, 10_000)

  ada.mute()
  cy.unmute()
  await until('Cy speaks alone', () => last(call, 'voice')?.speakers.join() === cy.deviceId, 10_000)
  ben.leave()
  await until('one person is no room', () => names(call).join('; ') === 'Ada; Cy', 20_000)
  ada.unmute()
  await until('Ada speaks for herself', () => last(call, 'voice')?.speakers.includes(ada.deviceId), 10_000)
})

test('reads participants from the page when the meeting sends no state', { timeout: LONG }, async () => {
  const meeting = newMeeting({ space: { delay: () => null }, syncEveryMs: 60_000 })
  await meeting.space.join({ name: 'Ann' })
  const call = await join(meeting, async () => {
    await browser
      .contexts()
      .at(-1)
      ?.route('**/*SyncMeetingSpaceCollections', (route) => route.abort())
  })
  const tile = '<div data-participant-id="spaces/x/devices/9"><span class="notranslate">Zoe</span></div>'
  await call.driver.page.run(`document.body.insertAdjacentHTML('beforeend', ${JSON.stringify(tile)})`)
  await until('Zoe is seen', () => names(call).includes('Zoe'), 15_000)
  expect(names(call), 'the bot is none of the others').not.toContain('Emissary')
})

test('stays in the meeting and says so where the button of a breakout room has no effect', { timeout: LONG }, async () => {
  const meeting = newMeeting({ roomMove: 'dead_button' })
  const call = await join(meeting)
  meeting.move('Red')
  const problem = await until('it says so', () => last(call, 'problem'), 30_000)
  expect(problem).toMatchObject({ step: 'breakout room', message: expect.stringContaining('could not') })
  expect(last(call, 'ended')).toBeUndefined()
  expect(meeting.inside()).toMatchObject([{ room: '' }])
})

test('uses a toolbar that hides, sets devices, posts a long message, and leaves as a host', { timeout: LONG }, async () => {
  const meeting = newMeeting({ toolbarHidesAfterMs: 500, asHost: true, composer: 'textarea' })
  const call = await join(meeting)
  const { driver } = call
  const button = `document.querySelector('[aria-label^="Leave call"]')`
  await until(
    'the toolbar hides',
    () => driver.page.run(`!${button}.checkVisibility({ opacityProperty: true, visibilityProperty: true })`),
    10_000,
  )
  await driver.turn('microphone', true)
  await driver.turn('microphone', true)
  await until('it is on', () => meeting.state()?.microphone, 5_000)
  await driver.turn('camera', true)
  await driver.turn('microphone', false)
  await until(
    'the devices are as requested',
    () => JSON.stringify(meeting.state()) === '{"microphone":false,"camera":true,"captions":null}',
    5_000,
  )

  const long = Array.from({ length: 150 }, (_, index) => `word${index}`).join(' ')
  await Promise.all([driver.write(long), driver.write('And this.')])
  const lines = meeting.space.chat().map(({ text }) => text)
  expect(lines.join(' ')).toBe(`${long} And this.`)
  expect(lines.every((line) => line.length <= 500)).toBe(true)

  await driver.leave('politely')
  expect(meeting.pressed.map(({ control }) => control).slice(-2)).toEqual(['leave', 'just_leave'])
  expect(meeting.inside()).toEqual([])
})
test('turns captions on in the requested language and reports each version of a caption', { timeout: LONG }, async () => {
  const meeting = newMeeting({})
  const ann = await meeting.space.join({ name: 'Ann' })
  const call = await join(meeting)
  await expect(call.driver.captions('xx-XX')).rejects.toThrow('The meeting offers no captions in xx-XX')
  await call.driver.captions('de-DE')
  await until('they are on', () => meeting.state()?.captions === 'de-DE', 5_000)
  ann.caption({ text: 'Guten', captionId: 7, version: 1 })
  ann.caption({ text: 'Guten Morgen.', captionId: 7, version: 2, final: true })
  await until('the last one is final', () => last(call, 'caption')?.final, 10_000)
  const captions = call.events.filter((it) => it.kind === 'caption')
  expect(captions.map(({ text, final, name, from }) => ({ text, final, name, from }))).toEqual([
    { text: 'Guten', final: false, name: 'Ann', from: ann.deviceId },
    { text: 'Guten Morgen.', final: true, name: 'Ann', from: ann.deviceId },
  ])
})
