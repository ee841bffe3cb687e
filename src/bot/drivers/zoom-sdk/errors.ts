// One row for each error code of the SDK: the reason, and a message that says what to do.
import type { ErrorReason } from '../../../domain/errors.ts'
import type { Verdict } from '../browser-meeting/patience.ts'

type Row = {
  readonly reason: ErrorReason
  /** The fault and the remedy. */
  readonly message: string
  /** True: the host or Zoom refuses this bot, which ends as Denied. */
  readonly denied?: true
}

const NEEDS_TOKEN =
  "Without zak_url or obf_url the bot can join only meetings of the account that owns the SDK app: pass one of them for other accounts' meetings"
const APP = 'Check ZOOM_SDK_KEY and ZOOM_SDK_SECRET'
const LINK = 'Check the meeting link'
const LATER = 'Try again in a few minutes'

const row = (reason: ErrorReason, message: string): Row => ({ reason, message })

export const SDK_ERRORS: Readonly<Record<number, Row>> = {
  1: row('JoinRefused', `Zoom did not say why. ${LINK} and its passcode. ${NEEDS_TOKEN}`),
  2: row('InternalError', `The Meeting SDK was not initialised. ${LATER}`),
  3: row('InternalError', 'The Meeting SDK does not support this browser. Install a current Chromium'),
  403: row('ConnectionLost', `Zoom is temporarily offline. ${LATER}`),
  3000: row('MeetingRestricted', 'The host has another meeting in progress. Ask the host to end it'),
  3001: row('MeetingNotFound', `The meeting does not exist. ${LINK}`),
  3003: row('JoinRefused', 'The signature has the role of a host. Use a signature with role 0'),
  3004: row('InvalidMeetingLink', 'The passcode is wrong. Copy the whole link with its pwd parameter'),
  3005: row('SignInRequired', 'The meeting asks for an e-mail address. Use a link with a registrant token (tk)'),
  3008: row('MeetingNotStarted', 'The meeting has not started. Send the bot when the host is there'),
  3009: { ...row('HostDenied', 'A host removed the bot from this meeting before, so it may not come back'), denied: true },
  3032: row('JoinRefused', 'Zoom does not let a panelist register. Use a link for attendees'),
  3034: row('SignInRequired', 'The webinar is for signed-in users. Pass zak_url'),
  3082: row('SignInRequired', 'The meeting is for signed-in users. Pass zak_url'),
  3099: row('RegistrationRequired', 'The meeting is for registrants. Register, and use the link of the confirmation (tk)'),
  3100: row('SignInRequired', 'The meeting is for signed-in users. Pass zak_url'),
  3135: row('SignInRequired', 'A panelist needs a token. Use the panelist link (tk)'),
  3265: row('LoginFailed', 'The ZAK token is not valid. Check the server behind zak_url'),
  3603: row('MeetingRestricted', 'The host does not let people join from a browser'),
  3610: row('MeetingNotFound', `The meeting does not exist, or the registrant token has expired. ${LINK}`),
  3611: row('MeetingRestricted', 'The host does not let people join from a browser'),
  3620: row('JoinRefused', 'The e-mail address is blocked by the administrator of the meeting'),
  3621: row('ConnectionLost', `Zoom's web server gave no answer. ${LATER}`),
  3622: row('ConnectionLost', `Zoom's web server could not be reached. ${LATER}`),
  3623: row('LoginFailed', 'The ZAK token is not valid. Check the server behind zak_url'),
  3625: row('MeetingNotFound', 'The host of the meeting is inactive'),
  3633: row('JoinRefused', `Zoom limits how often this server may join. ${LATER}`),
  3634: row('CaptchaRequired', `Zoom limits how often this server may join, and asks for a captcha. ${LATER}`),
  3635: row('InternalError', 'The files of the Meeting SDK could not be loaded. Run `emissary zoom install`'),
  3636: row('JoinRefused', 'zak_url and obf_url cannot be used together. Pass one of them'),
  3702: row('MeetingNotFound', `The host of the meeting does not exist. ${LINK}`),
  3703: row('InvalidMeetingLink', `The meeting number is not valid. ${LINK}`),
  3704: row('LoginFailed', `The key of the SDK app is wrong. ${APP}`),
  3705: row('LoginFailed', 'The signature has expired. Check the clock of this server'),
  3706: row('InvalidMeetingLink', `The meeting number is wrong. ${LINK}`),
  3707: row('MeetingNotFound', `The meeting number is not found. ${LINK}`),
  3708: row('LoginFailed', 'The role in the signature is wrong. It must be 0'),
  3709: row('MeetingNotFound', `The host of the meeting is not found. ${LINK}`),
  3710: row(
    'LoginFailed',
    `The key of the SDK app is deactivated. Activate the app in the Zoom App Marketplace, or check ZOOM_SDK_KEY and ZOOM_SDK_SECRET`,
  ),
  3711: row('MeetingRestricted', 'The host cannot host another meeting at the same time. Ask the host to end the other one'),
  3712: row(
    'LoginFailed',
    'The signature is not valid: the app is of another kind than Meeting SDK, or Meeting SDK is not enabled under Features > Embed, ' +
      `or key and secret are of another environment (development or production). ${APP}`,
  ),
  3713: row('LoginFailed', `The SDK app has no permission to join. ${NEEDS_TOKEN}`),
  3714: row('InvalidMeetingLink', `The meeting number is wrong. ${LINK}`),
  3715: row('JoinRefused', 'The meeting does not let assistants join'),
  4001: row('ConnectionLost', `The meeting was disconnected. ${LATER}`),
  4003: row('InternalError', 'The Meeting SDK did not accept a parameter'),
  4004: row('MeetingEnded', 'The meeting has ended'),
  4005: row('MeetingRestricted', 'The meeting is full. Ask the host to make room'),
  4006: row('MeetingRestricted', 'The meeting is locked. Ask the host to unlock it'),
  4007: row('MeetingRestricted', 'The host allows no participants from outside (information barriers)'),
  4008: row('JoinRefused', 'The same participant is in the meeting already. Remove the other bot, or use another token'),
  4009: row('ConnectionLost', `Zoom's server failed. ${LATER}`),
  4011: row('JoinRefused', `The SDK app is not published and the meeting is of another account. ${NEEDS_TOKEN}, or publish the app`),
  4012: row('SignInRequired', `The meeting does not let anonymous users join. ${NEEDS_TOKEN}`),
  4013: row('SignInRequired', `The meeting does not let anonymous users join. ${NEEDS_TOKEN}`),
  4014: row('LoginFailed', 'The OBF token is not valid. Check the server behind obf_url'),
  4015: row('LoginFailed', 'The OBF token is for another meeting. Check that the server behind obf_url reads meeting_number'),
  4016: row('LoginFailed', 'The recording token is not valid'),
  4017: row('MeetingNotStarted', 'The user who authorised the OBF token is not in the meeting. The user must join before the bot'),
  4018: row('LoginFailed', 'The token conflicts with the credentials of the app. Mint it with the same app'),
  4019: row('MeetingEnded', 'The user who authorised the OBF token has left the meeting'),
  6603: {
    ...row('JoinRefused', "The administrator of the host's account blocks this SDK app. Ask the administrator to allow it"),
    denied: true,
  },
  10000: row('InternalError', 'Zoom no longer supports this version of the Meeting SDK. Update Emissary and run `emissary zoom install`'),
}

/** The message begins as the specification says, with the code. */
export function verdictOf(code: number, says: string): Verdict & { readonly denied: boolean } {
  const { reason, message, denied = false } = SDK_ERRORS[code] ?? row('JoinRefused', says || 'Zoom did not say why')
  return { reason, message: `Zoom rejected the join with SDK code ${code}: ${message}`, denied }
}
