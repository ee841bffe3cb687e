// Recognises Google Meet's screens, with a verdict for each. Explicit refusals come first: the lobby's text may stay visible behind one.
import type { Condition, PlatformTables, Screen, ScreenRule } from '../web-client/tables.ts'
import type { SENTENCES } from './sentences.ts'

const says = (name: Screen & keyof typeof SENTENCES): ScreenRule => ({ screen: name, when: { sentences: [name] } })

/** Only in a call. The lobby also has the leave button. */
const CALL_CONTROLS: Condition = { present: ['chat', 'people', 'captionsAreOff', 'captionsAreOn'] }
const IN_CALL: readonly Condition[] = [
  { present: ['chat'] },
  { present: ['people'] },
  { present: ['captionsAreOff', 'captionsAreOn'] },
  { people: true },
]
/** Requires two of these without any sentence: the lobby may have one. */
const ADMITTED: Condition = {
  any: IN_CALL.flatMap((one, index) => IN_CALL.slice(index + 1).map((other): Condition => ({ all: [one, other] }))),
}
const DOOR: Condition = { any: [{ visible: ['nameField', 'join'] }, { all: [{ present: ['join'] }, { visible: ['microphoneOn'] }] }] }
const ACCOUNT_WALL: Condition = {
  any: [{ host: ['accounts.google.com'] }, { all: [{ not: DOOR }, { sentences: ['sign_in_line'] }, { sentences: ['account'] }] }],
}
const MARKETING: Condition = { host: ['workspace.google.com'] }

export const SCREEN_RULES: PlatformTables['screens'] = {
  door: [
    // It offers to ask again, like a denial.
    says('unanswered'),
    says('denied'),
    { screen: 'captcha', when: { captcha: true } },
    { screen: 'sign_in', when: ACCOUNT_WALL },
    { screen: 'marketing', when: MARKETING },
    ...(['signed_out', 'restricted', 'full', 'refused', 'invalid', 'not_found', 'removed', 'ended', 'problem', 'lost'] as const).map(says),
    says('not_started'),
    says('waiting'),
    // A tile beside the join button is the bot's own preview.
    { screen: 'inside', when: { any: [ADMITTED, { all: [{ people: true }, { visible: ['leave'] }, { not: DOOR }] }] } },
    says('left'),
    { screen: 'prejoin', when: DOOR },
    // The lobby in a language without sentences here.
    { screen: 'waiting', when: { visible: ['leave'] } },
    { screen: 'blank', when: { empty: true } },
  ],
  call: [
    says('lost'),
    // A page with call controls is in the call, whatever the names and messages of participants say.
    { screen: 'inside', when: CALL_CONTROLS },
    ...(['removed', 'ended', 'left', 'denied', 'refused'] as const).map(says),
    { screen: 'sign_in', when: ACCOUNT_WALL },
    { screen: 'marketing', when: MARKETING },
    { screen: 'inside', when: { people: true } },
    { screen: 'blank', when: { empty: true } },
  ],
}

/** Screens may flicker while a page loads. */
const FLICKER = 1
const PATIENCE = 60

export const VERDICTS: PlatformTables['verdicts'] = {
  restricted: { reason: 'MeetingRestricted', message: 'Only people who were invited may join this meeting', afterSeconds: FLICKER },
  refused: { reason: 'JoinRefused', message: 'Google Meet does not let this client join', afterSeconds: FLICKER },
  full: { reason: 'JoinRefused', message: 'Google Meet reports that the meeting is full', afterSeconds: FLICKER },
  sign_in: { reason: 'SignInRequired', message: 'The meeting asks for a Google Account', afterSeconds: FLICKER },
  signed_out: { reason: 'LoginFailed', message: 'Google Meet no longer accepts the sign-in of the account', afterSeconds: FLICKER },
  invalid: { reason: 'InvalidMeetingLink', message: 'Invalid meeting code', afterSeconds: FLICKER },
  not_found: { reason: 'MeetingNotFound', message: 'There is no such meeting', afterSeconds: FLICKER },
  marketing: { reason: 'MeetingNotFound', message: 'Google Meet redirected the bot to its marketing page', afterSeconds: FLICKER },
  ended: { reason: 'MeetingEnded', message: 'The meeting has ended', afterSeconds: FLICKER },
  removed: { reason: 'JoinRefused', message: 'The bot was removed before it was admitted', afterSeconds: FLICKER },
  captcha: { reason: 'CaptchaRequired', message: 'Google Meet shows a captcha, which only a person may solve', afterSeconds: 5 },
  blank: { reason: 'JoinRefused', message: 'Google Meet shows an empty page', afterSeconds: 15, onceAskedSeconds: 3 },
  problem: {
    reason: 'ConnectionLost',
    message: 'Google Meet says that it cannot connect',
    afterSeconds: 10,
    reload: { afterSeconds: 3, most: 2 },
  },
  lost: { reason: 'ConnectionLost', message: 'Google Meet lost its connection', afterSeconds: PATIENCE },
  unknown: { reason: 'InternalError', message: 'Google Meet shows a page that the bot does not know', afterSeconds: PATIENCE },
  prejoin: { reason: 'JoinRefused', message: 'Google Meet did not accept the request to join', afterSeconds: PATIENCE },
}

/** Google Meet drops a browser that it does not trust with one of these errors, up to half a second after the request to join. */
export const FATAL_ERRORS = ['DisconnectedError', 'EndCause']
