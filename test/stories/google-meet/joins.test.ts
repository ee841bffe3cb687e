// A bot on its way into Google Meet: every door that it may find, and what its caller is told.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Meeting, Scenario } from '../../../sims/google-meet/meet.ts'
import { MeetStage, pressesOf } from '../../helpers/google-meet.ts'
import { until } from '../../helpers/until.ts'

const LONG = 90_000

let stage: MeetStage
beforeAll(async () => {
  stage = await MeetStage.open()
})
afterAll(() => stage?.close())

type Blocked = readonly [what: string, reason: string, words: RegExp, scenario: Partial<Scenario> | null]

/** Each is `Failed`, without ever having waited or left. `words` are on the page that is kept as evidence. */
const BLOCKED: readonly Blocked[] = [
  ['a code that nobody gave out', 'InvalidMeetingLink', /Check your meeting code/, null],
  ['a code that does not work', 'InvalidMeetingLink', /code you entered/, { landing: 'code_fails' }],
  ['a code that has expired', 'MeetingNotFound', /expired/, { landing: 'expired_code' }],
  ['no such meeting', 'MeetingNotFound', /Meeting not found/, { landing: 'not_found' }],
  ['the marketing page', 'MeetingNotFound', /./, { landing: 'marketing' }],
  ['a meeting that has ended', 'MeetingEnded', /ended/, { landing: 'has_ended' }],
  ['a sign-in elsewhere', 'SignInRequired', /Sign in/, { landing: 'sign_in' }],
  ['a sign-in in place', 'SignInRequired', /Sign in/, { landing: 'sign_in_page' }],
  ['a sign-in after the knock', 'SignInRequired', /Sign in/, { knock: 'sign_in' }],
  ['only for invited people', 'MeetingRestricted', /unless invited or admitted/, { knock: 'refused_meeting', apostrophes: 'curly' }],
  ['only for invited people, in other words', 'MeetingRestricted', /join this call/, { knock: 'refused_call' }],
  ['turned away', 'JoinRefused', /Unable to join/, { knock: 'unable' }],
  ['led off without a word', 'JoinRefused', /./, { knock: 'marketing' }],
  ['an empty page after the knock', 'JoinRefused', /^$/, { knock: 'blank' }],
  ['too many requests', 'JoinRefused', /problem connecting/, { knock: 'rate_limited' }],
  ['a problem joining', 'JoinRefused', /encountered a problem/, { knock: 'encountered' }],
  ['a meeting that is full', 'JoinRefused', /is full/, { knock: 'full' }],
  ['a call that cannot be joined', 'JoinRefused', /cannot join/, { knock: 'cannot_join' }],
  ['a guest whose sign-in has changed', 'JoinRefused', /credentials/, { knock: 'stale' }],
  ['a captcha at the door', 'CaptchaRequired', /./, { captcha: 'at_the_door' }],
  ['a captcha after the knock', 'CaptchaRequired', /./, { captcha: 'after_the_knock' }],
  ['turned away in German', 'JoinRefused', /teilnehmen/, { knock: 'refused', language: 'de', hl: 'ignored' }],
]

describe.concurrent('a meeting that blocks the way', () => {
  test.each(BLOCKED)('%s is %s', { timeout: LONG }, async (_what, reason, words, scenario) => {
    const code = scenario ? stage.meeting(scenario).code : stage.newCode()
    const id = await stage.send(code)
    const bot = await stage.has(id, 'Failed', LONG)
    expect(bot).toMatchObject({ Status: 'Failed', ErrorReason: reason })
    expect(bot.StatusTimeline).not.toHaveProperty('Leaving')
    expect(bot.StatusTimeline).not.toHaveProperty('InWaitingRoom')
    expect(bot.Evidence[0]).toMatchObject({
      step: 'knock',
      page_text: expect.stringMatching(words),
      message: expect.stringMatching(/Google Meet|meeting/),
    })
    const events = await stage.told(id)
    expect(events.map((it) => `${it.bot_event} ${it.bot_status}`)).toEqual(['bot.joining Joining', 'bot.failed Failed', 'bot.done Failed'])
    expect(events[1]).toMatchObject({ failure_reason: reason, status_code: 500 })
  })
})

describe.concurrent('a host who is late', () => {
  test('is waited for, and then the meeting has not started', { timeout: LONG }, async () => {
    const meeting = stage.meeting({ knock: 'host_absent' })
    const id = await stage.sendImpatient(meeting.code, 2)
    expect(await stage.has(id, 'Failed')).toMatchObject({ Status: 'Failed', ErrorReason: 'MeetingNotStarted' })
  })

  test('comes, and lets the bot in', { timeout: LONG }, async () => {
    const meeting = stage.meeting({ knock: 'host_absent' })
    const id = await stage.send(meeting.code)
    await until('it waits for the host', () => meeting.knocks().length > 0, 40_000)
    expect((await stage.detail(id)).Status).toBe('Joining')
    meeting.hostArrives()
    await stage.waits(meeting, id)
    meeting.admit()
    await stage.has(id, 'InMeeting')
    await stage.remove(id)
    await stage.has(id, 'Stopped')
  })

  test('does not keep a bot that is told to leave', { timeout: LONG }, async () => {
    const meeting = stage.meeting({ knock: 'host_absent' })
    const id = await stage.send(meeting.code)
    await until('it waits for the host', () => meeting.knocks().length > 0, 40_000)
    expect((await stage.remove(id)).status).toBe(200)
    const bot = await stage.has(id, 'Stopped')
    expect(bot.ErrorReason).toBeNull()
  })
})

type Turned = readonly [what: string, status: string, reason: string, scenario: Partial<Scenario>, act: (meeting: Meeting) => void]

const TURNED_AWAY: readonly Turned[] = [
  ['denied', 'Denied', 'HostDenied', { lobby: 'asking' }, (it) => it.deny()],
  ['denied while the lobby’s words stay', 'Denied', 'HostDenied', { lobbyLingers: true, denied: 'not_allowed' }, (it) => it.deny()],
  ['denied in words of leaving', 'Denied', 'HostDenied', { denied: 'left' }, (it) => it.deny()],
  ['never answered, as Meet says', 'NotAllowed', 'JoinTimeout', {}, (it) => it.show('no_response')],
  ['refused while it waits', 'Error', 'JoinRefused', { lobby: 'host_brings' }, (it) => it.show('access_denied')],
  ['led off while it waits', 'Error', 'JoinRefused', {}, (it) => it.show('marketing')],
  ['ended while it waits', 'Error', 'MeetingEnded', { lobby: 'waiting_room' }, (it) => it.endForAll()],
]

describe.concurrent('a lobby, with all that looks like a call', () => {
  test.each(TURNED_AWAY)('%s: %s, %s', { timeout: LONG }, async (_what, status, reason, scenario, act) => {
    const meeting = stage.meeting(scenario)
    const id = await stage.send(meeting.code)
    await stage.waits(meeting, id)
    act(meeting)
    const bot = await stage.has(id, status)
    expect(bot).toMatchObject({ Status: status, ErrorReason: reason })
    expect(bot.StatusTimeline).toHaveProperty('Leaving')
    expect(bot.StatusTimeline).not.toHaveProperty('InMeeting')
    expect(bot.Evidence[0]).toMatchObject({ step: 'enter', page_text: expect.any(String) })
    expect(await stage.told(id)).toContainEqual(expect.objectContaining({ bot_status: status, failure_reason: reason }))
  })

  test('nobody lets it in: NotAllowed, and it was never taken for being in', { timeout: LONG }, async () => {
    const meeting = stage.meeting({ lobby: 'let_in', stillThereMs: 1_000 })
    const id = await stage.sendImpatient(meeting.code, 6)
    expect(await stage.has(id, 'NotAllowed')).toMatchObject({ Status: 'NotAllowed', ErrorReason: 'JoinTimeout' })
    expect(pressesOf(meeting)).toContain('keep_waiting')
  })
})

type Admitted = readonly [what: string, scenario: Partial<Scenario>, presses: readonly string[] | null]

const DOORS: readonly Admitted[] = [
  ['as Meet mostly is', {}, ['microphone', 'camera', 'join']],
  ['let in at once', { knock: 'admitted' }, null],
  [
    'everything in front',
    { notices: ['devices', 'sign_in', 'got_it', 'dismiss', 'toasts'] },
    ['without_devices', 'use_without_account', 'got_it', 'close_toast', 'close_toast', 'dismiss', 'join'],
  ],
  [
    'device errors over the page, in straight apostrophes',
    { notices: ['device_errors'], devicesOn: false, apostrophes: 'straight' },
    ['close_device_error', 'close_device_error', 'close_device_error', 'join'],
  ],
  [
    'consents before the knock, in curly apostrophes',
    { consents: ['recorded', 'gemini'], consentsAt: 'door', devicesOn: false, apostrophes: 'curly', lobby: 'host_admits' },
    ['join', 'consent_recorded', 'consent_gemini'],
  ],
  ['a long wait in which devices are turned off', { lobbyDevicesOffMs: 0, lobby: 'asking_join' }, null],
  ['names and classes of today only', { classes: 'rotating', jsnames: 'rotating', ghosts: true, nameField: 'placeholder' }, null],
  [
    'a field without a label, buttons without shortcuts',
    { nameField: 'jsname', toggles: 'button', shortcuts: false, muteAttribute: false },
    null,
  ],
  ['"Ask to join anyway"', { join: 'ask_anyway', joinLabel: 'decorated' }, null],
  ['"Join anyway", devices off', { join: 'anyway', devicesOn: false }, ['join']],
  ['signed in, "Switch here"', { account: 'signed_in', join: 'switch_here', knock: 'admitted' }, null],
  ['a slow page', { loadMs: 5_000, knockMs: 2_000 }, null],
  ['German, whatever the address says', { language: 'de', hl: 'ignored', notices: ['devices', 'got_it'], consents: ['recorded'] }, null],
  ['Dutch', { language: 'nl', hl: 'ignored', jsnames: 'rotating' }, null],
  ['a People control that is no button', { peopleButton: 'dialog', shortcuts: false }, null],
  ['Chinese', { language: 'zh', hl: 'ignored', jsnames: 'rotating' }, null],
  ['consents and notices in front of the call', { consents: ['recorded', 'transcribed', 'gemini', 'differently'], geminiPill: true }, null],
]

describe.concurrent('a door that opens', () => {
  test.each(DOORS)('%s', { timeout: LONG }, async (_what, scenario, presses) => {
    const meeting = stage.meeting(scenario)
    const id = await stage.send(meeting.code, { bot_name: 'Note taker' })
    if (scenario.knock !== 'admitted') {
      await stage.waits(meeting, id)
      expect(meeting.knocks()).toMatchObject([{ name: 'Note taker' }])
      meeting.admit()
    }
    await stage.has(id, 'InMeeting')
    const pressed = pressesOf(meeting)
    if (presses) expect(pressed.toSorted()).toEqual(presses.toSorted())
    expect(meeting.inside()).toHaveLength(1)
    expect((await stage.remove(id)).status).toBe(200)
    await stage.has(id, 'Stopped')
    await until('the meeting has seen it go', () => meeting.inside().length === 0, 10_000)
    expect(meeting.pressed.at(-1)).toMatchObject({ control: 'leave', trusted: true })
  })
})
