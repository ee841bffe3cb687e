// Bots that join Google Meet: every join page they may find, and the status that the caller gets.
import { describe, expect, test } from 'vitest'
import type { Meeting, Scenario } from '../../../sims/google-meet/meet.ts'
import { openForFile } from '../../helpers/for-file.ts'
import { MeetStage, pressesOf } from '../../helpers/meetings/google-meet.ts'
import { until } from '../../helpers/until.ts'

const LONG = 90_000

const stage = openForFile(() => MeetStage.open())

type Blocked = readonly [what: string, reason: string, pageText: RegExp, scenario: Partial<Scenario> | null]

/** Each ends as `Failed` without InWaitingRoom or Leaving. `pageText` is in the evidence. */
const BLOCKED: readonly Blocked[] = [
  ['an unknown meeting code', 'InvalidMeetingLink', /Check your meeting code/, null],
  ['a rejected meeting code', 'InvalidMeetingLink', /code you entered/, { landing: 'code_fails' }],
  ['an expired meeting code', 'MeetingNotFound', /expired/, { landing: 'expired_code' }],
  ['a meeting that does not exist', 'MeetingNotFound', /Meeting not found/, { landing: 'not_found' }],
  ['a redirect to the marketing page', 'MeetingNotFound', /./, { landing: 'marketing' }],
  ['a meeting that has ended', 'MeetingEnded', /ended/, { landing: 'has_ended' }],
  ['an encrypted meeting', 'MeetingEncrypted', /client-side encryption/, { landing: 'encrypted' }],
  ['an encrypted meeting in German', 'MeetingEncrypted', /Verschlüsselung/, { knock: 'encrypted', language: 'de', hl: 'ignored' }],
  ['the page of a live stream', 'ViewOnly', /View only/, { landing: 'live_stream' }],
  ['a redirect to the sign-in page', 'SignInRequired', /Sign in/, { landing: 'sign_in' }],
  ['a sign-in form in the page', 'SignInRequired', /Sign in/, { landing: 'sign_in_page' }],
  ['a sign-in after the knock', 'SignInRequired', /Sign in/, { knock: 'sign_in' }],
  [
    'a meeting for invited people only',
    'MeetingRestricted',
    /unless invited or admitted/,
    { knock: 'refused_meeting', apostrophes: 'curly' },
  ],
  ['a meeting for invited people only, in another wording', 'MeetingRestricted', /join this call/, { knock: 'refused_call' }],
  ['"Unable to join"', 'JoinRefused', /Unable to join/, { knock: 'unable' }],
  ['a redirect after the knock', 'JoinRefused', /./, { knock: 'marketing' }],
  ['an empty page after the knock', 'JoinRefused', /^$/, { knock: 'blank' }],
  ['too many requests', 'JoinRefused', /problem connecting/, { knock: 'rate_limited' }],
  ['"encountered a problem"', 'JoinRefused', /encountered a problem/, { knock: 'encountered' }],
  ['a meeting that is full', 'JoinRefused', /is full/, { knock: 'full' }],
  ['a call that cannot be joined', 'JoinRefused', /cannot join/, { knock: 'cannot_join' }],
  ['a guest whose sign-in has changed', 'JoinRefused', /credentials/, { knock: 'stale' }],
  ['a captcha on the join page', 'CaptchaRequired', /./, { captcha: 'at_the_door' }],
  ['a captcha after the knock', 'CaptchaRequired', /./, { captcha: 'after_the_knock' }],
  ['a refusal in German', 'JoinRefused', /teilnehmen/, { knock: 'refused', language: 'de', hl: 'ignored' }],
]

describe.concurrent('a meeting that cannot be joined', () => {
  test.each(BLOCKED)('reports %s as %s', { timeout: LONG }, async (_what, reason, pageText, scenario) => {
    const id = await stage.send(scenario ? stage.meeting(scenario) : stage.unknownMeeting())
    const bot = await stage.has(id, 'Failed', LONG)
    expect(bot).toMatchObject({ Status: 'Failed', ErrorReason: reason })
    expect(bot.StatusTimeline).not.toHaveProperty('Leaving')
    expect(bot.StatusTimeline).not.toHaveProperty('InWaitingRoom')
    expect(bot.Evidence[0]).toMatchObject({
      step: 'knock',
      page_text: expect.stringMatching(pageText),
      message: expect.stringMatching(/Google Meet|meeting/),
    })
    const events = await stage.receivedEvents(id)
    expect(events.map((it) => `${it.bot_event} ${it.bot_status}`)).toEqual(['bot.joining Joining', 'bot.failed Failed', 'bot.done Failed'])
    expect(events[1]).toMatchObject({ failure_reason: reason, status_code: 500 })
  })
})

describe.concurrent('a meeting whose host is absent', () => {
  test('ends as MeetingNotStarted when the host does not join in time', { timeout: LONG }, async () => {
    const meeting = stage.meeting({ knock: 'host_absent' })
    const id = await stage.sendWithLeave(meeting, { waitingRoomSeconds: 2 })
    expect(await stage.has(id, 'Failed')).toMatchObject({ Status: 'Failed', ErrorReason: 'MeetingNotStarted' })
  })

  test('enters the lobby when the host arrives, and then the meeting', { timeout: LONG }, async () => {
    const meeting = stage.meeting({ knock: 'host_absent' })
    const id = await stage.send(meeting)
    await until('it waits for the host', () => meeting.knocks().length > 0, 40_000)
    expect((await stage.detail(id)).Status).toBe('Joining')
    meeting.hostArrives()
    await stage.waits(meeting, id)
    meeting.admit()
    await stage.has(id, 'InMeeting')
    await stage.remove(id)
    await stage.has(id, 'Stopped')
  })

  test('lets the bot be removed while it waits for the host', { timeout: LONG }, async () => {
    const meeting = stage.meeting({ knock: 'host_absent' })
    const id = await stage.send(meeting)
    await until('it waits for the host', () => meeting.knocks().length > 0, 40_000)
    expect((await stage.remove(id)).status).toBe(200)
    const bot = await stage.has(id, 'Stopped')
    expect(bot.ErrorReason).toBeNull()
  })
})

type LobbyEnding = readonly [what: string, status: string, reason: string, scenario: Partial<Scenario>, act: (meeting: Meeting) => void]

const LOBBY_ENDINGS: readonly LobbyEnding[] = [
  ['denied', 'Denied', 'HostDenied', { lobby: 'asking' }, (it) => it.deny()],
  ['denied while the lobby text stays', 'Denied', 'HostDenied', { lobbyLingers: true, denied: 'not_allowed' }, (it) => it.deny()],
  ['denied with the text of a departure', 'Denied', 'HostDenied', { denied: 'left' }, (it) => it.deny()],
  ['never answered, by Meet’s own timeout', 'NotAllowed', 'JoinTimeout', {}, (it) => it.show('no_response')],
  ['refused in the lobby', 'Error', 'JoinRefused', { lobby: 'host_brings' }, (it) => it.show('access_denied')],
  ['redirected in the lobby', 'Error', 'JoinRefused', {}, (it) => it.show('marketing')],
  ['in the lobby when the meeting ends', 'Error', 'MeetingEnded', { lobby: 'waiting_room' }, (it) => it.endForAll()],
]

describe.concurrent('a lobby that looks like a call', () => {
  test.each(LOBBY_ENDINGS)('handles being %s as %s with %s', { timeout: LONG }, async (_what, status, reason, scenario, act) => {
    const meeting = stage.meeting(scenario)
    const id = await stage.send(meeting)
    await stage.waits(meeting, id)
    act(meeting)
    const bot = await stage.has(id, status)
    expect(bot).toMatchObject({ Status: status, ErrorReason: reason })
    expect(bot.StatusTimeline).toHaveProperty('Leaving')
    expect(bot.StatusTimeline).not.toHaveProperty('InMeeting')
    expect(bot.Evidence[0]).toMatchObject({ step: 'enter', page_text: expect.any(String) })
    expect(await stage.receivedEvents(id)).toContainEqual(expect.objectContaining({ bot_status: status, failure_reason: reason }))
  })

  test('ends as NotAllowed without ever reporting InMeeting when no one admits the bot', { timeout: LONG }, async () => {
    const meeting = stage.meeting({ lobby: 'let_in', idlePromptMs: 1_000 })
    const id = await stage.sendWithLeave(meeting, { waitingRoomSeconds: 6 })
    expect(await stage.has(id, 'NotAllowed')).toMatchObject({ Status: 'NotAllowed', ErrorReason: 'JoinTimeout' })
    expect(pressesOf(meeting)).toContain('keep_waiting')
  })
})

type JoinPage = readonly [what: string, scenario: Partial<Scenario>, presses: readonly string[] | null]

const JOIN_PAGES: readonly JoinPage[] = [
  ['the usual join page', {}, ['microphone', 'camera', 'join']],
  ['admission without a lobby', { knock: 'admitted' }, null],
  [
    'all notices shown',
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
  ['a long lobby in which devices are turned off', { lobbyDevicesOffMs: 0, lobby: 'asking_join' }, null],
  ['random class names and jsnames', { classes: 'rotating', jsnames: 'rotating', ghosts: true, nameField: 'placeholder' }, null],
  [
    'a name field without a label and buttons with shortcuts',
    { nameField: 'jsname', toggles: 'button', shortcuts: true, muteAttribute: false },
    null,
  ],
  ['a page that needs a speaker', { needsSpeaker: true, devicesOn: false }, ['join']],
  ['"Ask to join anyway"', { join: 'ask_anyway', joinLabel: 'decorated' }, null],
  ['"Join anyway" and devices off', { join: 'anyway', devicesOn: false }, ['join']],
  ['an account and "Switch here"', { account: 'signed_in', join: 'switch_here', knock: 'admitted' }, null],
  ['a slow page with a strict policy', { loadMs: 5_000, knockMs: 2_000, policy: 'strict' }, null],
  [
    'German although the address asks for English',
    { language: 'de', hl: 'ignored', notices: ['devices', 'got_it'], consents: ['recorded'] },
    null,
  ],
  ['Dutch', { language: 'nl', hl: 'ignored', jsnames: 'rotating' }, null],
  ['a People control that is not a button', { peopleButton: 'dialog', shortcuts: true }, null],
  ['Chinese', { language: 'zh', hl: 'ignored', jsnames: 'rotating' }, null],
  ['consents and notices in front of the call', { consents: ['recorded', 'transcribed', 'gemini', 'differently'], geminiPill: true }, null],
]

describe.concurrent('a join page that lets the bot in', () => {
  test.each(JOIN_PAGES)('joins with %s', { timeout: LONG }, async (_what, scenario, presses) => {
    const meeting = stage.meeting(scenario)
    const id = await stage.send(meeting, { bot_name: 'Note taker' })
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
