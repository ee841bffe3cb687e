// Which screen Microsoft Teams shows, and what each means at the door. Explicit refusals come first: the page before the meeting can stay behind one.
import type { Condition, PlatformTables, Screen, ScreenRule } from '../web-client/tables.ts'
import type { SENTENCES } from './sentences.ts'

const says = (name: Screen & keyof typeof SENTENCES): ScreenRule => ({ screen: name, when: { sentences: [name] } })

/** A browser that is sent to one of these must sign in. */
export const SIGN_IN_HOSTS: readonly string[] = [
  ...['login.microsoftonline.com', 'login.microsoftonline.us', 'login.microsoftonline.de', 'login.partner.microsoftonline.cn'],
  ...['login.microsoft.com', 'login.live.com', 'login.windows.net'],
]
const SIGN_IN: Condition = { any: [{ host: SIGN_IN_HOSTS }, { sentences: ['sign_in'] }, { visible: ['loginForm'] }] }
const ENCRYPTED: Condition = { any: [{ present: ['encryptionError'] }, { sentences: ['refused'] }] }

const CALL_CONTROLS: readonly Condition[] = [{ present: ['leave'] }, { present: ['chat'] }, { present: ['people'] }, { present: ['raise'] }]
/** The menu is in a call only. Of the others any two: a lobby may have one. */
const IN_CALL: Condition = {
  any: [
    { present: ['moreOptions'] },
    ...CALL_CONTROLS.flatMap((one, index) => CALL_CONTROLS.slice(index + 1).map((other): Condition => ({ all: [one, other] }))),
  ],
}

export const SCREEN_RULES: PlatformTables['screens'] = {
  door: [
    says('denied'),
    { screen: 'captcha', when: { any: [{ sentences: ['captcha'] }, { captcha: true }] } },
    { screen: 'sign_in', when: SIGN_IN },
    says('restricted'),
    { screen: 'refused', when: ENCRYPTED },
    ...(['invalid', 'not_found', 'removed', 'ended', 'problem'] as const).map(says),
    { screen: 'invalid', when: { visible: ['passcode'] } },
    says('early'),
    says('waiting'),
    { screen: 'inside', when: IN_CALL },
    says('lost'),
    says('left'),
    { screen: 'prejoin', when: { visible: ['nameField', 'join', 'onWeb'] } },
    { screen: 'blank', when: { empty: true } },
  ],
  call: [
    says('lost'),
    // While there are controls the call is not over, whatever a participant is called or writes.
    { screen: 'inside', when: IN_CALL },
    ...(['removed', 'denied', 'ended', 'left'] as const).map(says),
    { screen: 'refused', when: ENCRYPTED },
    { screen: 'sign_in', when: SIGN_IN },
    { screen: 'inside', when: { people: true } },
    { screen: 'blank', when: { empty: true } },
  ],
}

/** Screens may flicker while a page loads. */
const FLICKER = 1
const PATIENCE = 60
/** Its code is tens of megabytes. */
const LOADING = 30
/** Guests are sent to the sign-in at times while another guest of the same minute gets in. */
const ONCE_MORE = { afterSeconds: FLICKER, most: 1 }

export const VERDICTS: PlatformTables['verdicts'] = {
  captcha: { reason: 'CaptchaRequired', message: 'Microsoft Teams wants a puzzle solved, which only a person may do', afterSeconds: 5 },
  sign_in: { reason: 'SignInRequired', message: 'The meeting asks for a Microsoft account', afterSeconds: FLICKER, reload: ONCE_MORE },
  restricted: { reason: 'MeetingRestricted', message: 'Outsiders may not join this event before it begins', afterSeconds: FLICKER },
  refused: { reason: 'JoinRefused', message: 'The meeting is end-to-end encrypted, which browsers cannot join', afterSeconds: FLICKER },
  invalid: { reason: 'InvalidMeetingLink', message: 'The link is wrong, or lacks the right passcode', afterSeconds: FLICKER },
  not_found: { reason: 'MeetingNotFound', message: 'There is no such meeting', afterSeconds: FLICKER },
  ended: { reason: 'MeetingEnded', message: 'The meeting has ended', afterSeconds: FLICKER },
  removed: { reason: 'JoinRefused', message: 'The meeting removed the bot before it was in', afterSeconds: FLICKER },
  problem: {
    reason: 'ConnectionLost',
    message: 'Microsoft Teams says that it cannot connect',
    afterSeconds: 10,
    reload: { afterSeconds: 3, most: 2 },
  },
  blank: {
    reason: 'ConnectionLost',
    message: 'Microsoft Teams did not finish loading',
    afterSeconds: LOADING,
    reload: { afterSeconds: LOADING, most: 1 },
  },
  lost: { reason: 'ConnectionLost', message: 'Microsoft Teams lost its connection', afterSeconds: PATIENCE },
  unknown: { reason: 'InternalError', message: 'Microsoft Teams shows a page that the bot does not know', afterSeconds: PATIENCE },
  prejoin: { reason: 'JoinRefused', message: 'Microsoft Teams did not take the request to join', afterSeconds: PATIENCE },
}
