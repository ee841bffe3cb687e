// Recognises the screens of Zoom's web client, with a verdict for each.
import type { ErrorReason } from '../../../domain/errors.ts'
import { says, verdict } from '../browser-meeting/common-rules.ts'
import type { Condition, PageRules, ScreenRule } from '../browser-meeting/page-rules.ts'
import { MOVING } from './rooms.ts'

const IN_CALL: Condition = { present: ['leave'] }
/** The site's home page, and that of the web client, to which a finished meeting leads. */
const HOME: Condition = {
  any: [{ path: ['/wc/home', '/wc/leave'] }, { host: ['zoom.us', 'www.zoom.us', 'zoom.com', 'www.zoom.com'] }],
}
const OVER_THE_CALL: Condition = { any: [{ present: ['dialog'] }, { not: IN_CALL }] }
/** In the call a sentence counts only in a dialog or without call controls: a participant may write the same sentence. */
const ends = (name: 'removed' | 'ended' | 'lost'): ScreenRule => ({ screen: name, when: { all: [{ sentences: [name] }, OVER_THE_CALL] } })

export const SCREEN_RULES: PageRules['screens'] = {
  door: [
    // The block page for bots also offers a sign-in.
    says('refused'),
    { screen: 'registration', when: { any: [{ path: ['/meeting/register', '/webinar/register'] }, { sentences: ['registration'] }] } },
    { screen: 'image_captcha', when: { any: [{ sentences: ['image_captcha'] }, { visible: ['imageCaptcha'] }] } },
    { screen: 'captcha', when: { any: [{ sentences: ['captcha'] }, { captcha: true }] } },
    { screen: 'sign_in', when: { any: [{ sentences: ['sign_in'] }, { visible: ['signIn'] }] } },
    ...(['restricted', 'full', 'invalid', 'not_started'] as const).map(says),
    { screen: 'denied', when: { sentences: ['removed'] } },
    says('ended'),
    says('problem'),
    // The waiting room is drawn inside the call's own container, so its sentences win over the controls.
    says('early'),
    says('waiting'),
    { screen: 'waiting', when: { all: [{ sentences: ['lobby'] }, { not: { sentences: ['joining'] } }] } },
    { screen: 'inside', when: IN_CALL },
    { screen: 'prejoin', when: { visible: ['nameField', 'join', 'fromBrowser', 'agree', 'allowDevices'] } },
    { screen: 'lost', when: { sentences: ['joining', 'lost'] } },
    { screen: 'marketing', when: { path: ['/wc/home'] } },
    { screen: 'blank', when: { empty: true } },
  ],
  call: [
    // A host can put the bot back.
    says('waiting'),
    { screen: 'waiting', when: { all: [{ sentences: ['lobby'] }, { not: IN_CALL }] } },
    ends('removed'),
    ends('ended'),
    ends('lost'),
    MOVING,
    { screen: 'inside', when: IN_CALL },
    { screen: 'left', when: HOME },
    says('refused'),
    { screen: 'blank', when: { empty: true } },
  ],
}

/** The specification's limit for a connection, in seconds. */
const CONNECTS_WITHIN = 60
/** A stalled page is reloaded at most twice: a white one sooner than a frozen one. */
const FROZEN = { afterSeconds: 25, most: 2 }
const WHITE = { afterSeconds: 12, most: 2 }
const stalled = (reason: ErrorReason, message: string, reload: typeof FROZEN) => ({
  ...verdict(reason, message, CONNECTS_WITHIN - reload.afterSeconds * reload.most),
  reload,
})

const SDK_HELPS = 'Set ZOOM_WAY to sdk, and pass zak_url or obf_url'

export const VERDICTS: PageRules['verdicts'] = {
  refused: verdict(
    'JoinRefused',
    `Zoom recognised an automated client, and the meeting allows none. Ask the host to allow bots, or join by the SDK: ${SDK_HELPS}`,
  ),
  image_captcha: verdict(
    'CaptchaRequired',
    `Zoom asks for the characters of a picture, which only a person may type. Try again in a few minutes, or join by the SDK: ${SDK_HELPS}`,
  ),
  registration: verdict(
    'RegistrationRequired',
    'The meeting is for registrants. Register, and send the bot the link of the confirmation, which has a tk parameter',
  ),
  captcha: verdict('CaptchaRequired', 'Zoom asks for a captcha, which only a person may solve. Try again in a few minutes', 5),
  sign_in: verdict('SignInRequired', `The meeting is for signed-in users. ${SDK_HELPS}`),
  restricted: verdict('MeetingRestricted', 'The meeting is locked. Ask the host to unlock it'),
  full: verdict('MeetingRestricted', 'The meeting is full. Ask the host to make room'),
  invalid: verdict('InvalidMeetingLink', 'The passcode is wrong. Copy the whole link with its pwd parameter'),
  not_started: {
    ...verdict('MeetingNotFound', 'The meeting does not exist, or its host did not start it', 0),
    reload: { afterSeconds: 15, most: 80 },
  },
  marketing: verdict('MeetingNotFound', 'Zoom redirected the bot to its home page'),
  ended: verdict('MeetingEnded', 'The meeting has ended'),
  problem: {
    ...verdict('ConnectionLost', 'The connection to Zoom failed, or the organisation of the meeting allows no browsers', 10),
    reload: { afterSeconds: 3, most: 2 },
  },
  lost: stalled('ConnectionLost', `Zoom did not connect within ${CONNECTS_WITHIN} seconds, often because of a wrong passcode`, FROZEN),
  blank: stalled('ConnectionLost', 'Zoom did not finish loading', WHITE),
  unknown: stalled('InternalError', 'Zoom shows a page that the bot does not know', FROZEN),
  prejoin: verdict('JoinRefused', 'Zoom did not accept the request to join, often because of a wrong passcode', CONNECTS_WITHIN),
}
