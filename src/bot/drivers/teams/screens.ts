// Recognises the screens of Microsoft Teams, with a verdict for each. Explicit refusals come first: the entry page may stay visible behind one.
import type { Condition, PlatformTables, Screen, ScreenRule } from '../web-client/tables.ts'
import type { SENTENCES } from './sentences.ts'

const says = (name: Screen & keyof typeof SENTENCES): ScreenRule => ({ screen: name, when: { sentences: [name] } })

/** A redirect to one of these means that a sign-in is required. */
export const SIGN_IN_HOSTS: readonly string[] = [
  ...['login.microsoftonline.com', 'login.microsoftonline.us', 'login.microsoftonline.de', 'login.partner.microsoftonline.cn'],
  ...['login.microsoft.com', 'login.live.com', 'login.windows.net'],
]
const SIGN_IN: Condition = { any: [{ host: SIGN_IN_HOSTS }, { sentences: ['sign_in'] }, { visible: ['loginForm'] }] }
const ENCRYPTED: Condition = { any: [{ present: ['encryptionError'] }, { sentences: ['refused'] }] }

const CALL_CONTROLS: readonly Condition[] = [{ present: ['leave'] }, { present: ['chat'] }, { present: ['people'] }, { present: ['raise'] }]
/** The menu exists only in a call. Of the others two are required: the lobby may have one. */
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
    // A page with call controls is in the call, whatever the names and messages of participants say.
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
/** The client's code is tens of megabytes. */
const LOADING = 30
/** Teams sends some guests to the sign-in while it admits others in the same minute. */
const ONCE_MORE = { afterSeconds: FLICKER, most: 1 }

export const VERDICTS: PlatformTables['verdicts'] = {
  captcha: { reason: 'CaptchaRequired', message: 'Microsoft Teams shows a captcha, which only a person may solve', afterSeconds: 5 },
  sign_in: { reason: 'SignInRequired', message: 'The meeting asks for a Microsoft account', afterSeconds: FLICKER, reload: ONCE_MORE },
  restricted: { reason: 'MeetingRestricted', message: 'External attendees cannot join this event before it begins', afterSeconds: FLICKER },
  refused: { reason: 'JoinRefused', message: 'The meeting is end-to-end encrypted, which browsers cannot join', afterSeconds: FLICKER },
  invalid: { reason: 'InvalidMeetingLink', message: 'The link is invalid, or its passcode is wrong or missing', afterSeconds: FLICKER },
  not_found: { reason: 'MeetingNotFound', message: 'There is no such meeting', afterSeconds: FLICKER },
  ended: { reason: 'MeetingEnded', message: 'The meeting has ended', afterSeconds: FLICKER },
  removed: { reason: 'JoinRefused', message: 'The bot was removed before it was admitted', afterSeconds: FLICKER },
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
  prejoin: { reason: 'JoinRefused', message: 'Microsoft Teams did not accept the request to join', afterSeconds: PATIENCE },
}
