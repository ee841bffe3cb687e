// Recognises the screens of Zoom's web client, with a verdict for each.
import type { Condition, PlatformTables, Screen, ScreenRule } from '../web-client/tables.ts'
import type { SENTENCES } from './sentences.ts'

const says = (name: Screen & keyof typeof SENTENCES): ScreenRule => ({ screen: name, when: { sentences: [name] } })

const IN_CALL: Condition = { present: ['leave'] }
const OVER_THE_CALL: Condition = { any: [{ present: ['dialog'] }, { not: IN_CALL }] }
/** In the call a sentence counts only in a dialog or without call controls: a participant may write the same sentence. */
const ends = (name: 'removed' | 'ended' | 'lost'): ScreenRule => ({ screen: name, when: { all: [{ sentences: [name] }, OVER_THE_CALL] } })

export const SCREEN_RULES: PlatformTables['screens'] = {
  door: [
    // The block page for bots also offers a sign-in.
    says('refused'),
    { screen: 'captcha', when: { any: [{ sentences: ['captcha'] }, { captcha: true }] } },
    { screen: 'sign_in', when: { any: [{ sentences: ['sign_in'] }, { visible: ['signIn'] }] } },
    ...(['restricted', 'full', 'invalid', 'not_started'] as const).map(says),
    { screen: 'denied', when: { sentences: ['removed'] } },
    says('ended'),
    says('problem'),
    // The waiting room is drawn inside the call's own container, so its sentences win over the controls.
    says('early'),
    says('waiting'),
    { screen: 'inside', when: IN_CALL },
    { screen: 'prejoin', when: { visible: ['nameField', 'join', 'fromBrowser', 'agree', 'allowDevices'] } },
    { screen: 'lost', when: { sentences: ['joining', 'lost'] } },
    { screen: 'blank', when: { empty: true } },
  ],
  call: [
    // A host can put the bot back.
    says('waiting'),
    ends('removed'),
    ends('ended'),
    ends('lost'),
    { screen: 'inside', when: IN_CALL },
    // Pages to which the client redirects after a meeting.
    { screen: 'left', when: { host: ['zoom.us', 'www.zoom.us'] } },
    says('refused'),
    { screen: 'blank', when: { empty: true } },
  ],
}

/** Screens may flicker while a page loads. */
const FLICKER = 1
/** The specification's limit for a connection, in seconds. */
const CONNECTS_WITHIN = 60
/** A stalled page is reloaded at most twice: a white one sooner than a frozen one. */
const FROZEN = { afterSeconds: 25, most: 2 }
const WHITE = { afterSeconds: 12, most: 2 }
const restOf = ({ afterSeconds, most }: typeof FROZEN) => CONNECTS_WITHIN - afterSeconds * most

const SDK_HELPS = 'Set ZOOM_WAY to sdk, and pass zak_url or obf_url'

export const VERDICTS: PlatformTables['verdicts'] = {
  refused: {
    reason: 'JoinRefused',
    message: `Zoom recognised an automated client, and the meeting allows none. Ask the host to allow bots, or join by the SDK: ${SDK_HELPS}`,
    afterSeconds: FLICKER,
  },
  captcha: {
    reason: 'CaptchaRequired',
    message: 'Zoom asks for a captcha, which only a person may solve. Try again in a few minutes',
    afterSeconds: 5,
  },
  sign_in: { reason: 'SignInRequired', message: `The meeting is for signed-in users. ${SDK_HELPS}`, afterSeconds: FLICKER },
  restricted: { reason: 'MeetingRestricted', message: 'The meeting is locked. Ask the host to unlock it', afterSeconds: FLICKER },
  full: { reason: 'MeetingRestricted', message: 'The meeting is full. Ask the host to make room', afterSeconds: FLICKER },
  invalid: {
    reason: 'InvalidMeetingLink',
    message: 'The passcode is wrong. Copy the whole link with its pwd parameter',
    afterSeconds: FLICKER,
  },
  not_started: {
    reason: 'MeetingNotFound',
    message: 'The meeting does not exist, or its host did not start it',
    afterSeconds: 0,
    reload: { afterSeconds: 15, most: 80 },
  },
  ended: { reason: 'MeetingEnded', message: 'The meeting has ended', afterSeconds: FLICKER },
  problem: {
    reason: 'ConnectionLost',
    message: 'The connection to Zoom failed, or the organisation of the meeting allows no browsers',
    afterSeconds: 10,
    reload: { afterSeconds: 3, most: 2 },
  },
  lost: {
    reason: 'ConnectionLost',
    message: `Zoom did not connect within ${CONNECTS_WITHIN} seconds, often because of a wrong passcode`,
    afterSeconds: restOf(FROZEN),
    reload: FROZEN,
  },
  blank: { reason: 'ConnectionLost', message: 'Zoom did not finish loading', afterSeconds: restOf(WHITE), reload: WHITE },
  unknown: {
    reason: 'InternalError',
    message: 'Zoom shows a page that the bot does not know',
    afterSeconds: restOf(FROZEN),
    reload: FROZEN,
  },
  prejoin: {
    reason: 'JoinRefused',
    message: 'Zoom did not accept the request to join, often because of a wrong passcode',
    afterSeconds: CONNECTS_WITHIN,
  },
}
