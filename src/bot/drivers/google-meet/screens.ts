// Recognises Google Meet's screens, with a verdict for each. Explicit refusals come first: the lobby's text may stay visible behind one.
import { pairsOf, says, verdict, verdictsOf } from '../browser-meeting/common-rules.ts'
import type { Condition, PageRules } from '../browser-meeting/page-rules.ts'

/** Only in a call. The lobby also has the leave button. */
const CALL_CONTROLS: Condition = { present: ['chat', 'people', 'captionsAreOff', 'captionsAreOn'] }
/** Requires two of these without any sentence: the lobby may have one. */
const ADMITTED: Condition = {
  any: pairsOf([{ present: ['chat'] }, { present: ['people'] }, { present: ['captionsAreOff', 'captionsAreOn'] }, { people: true }]),
}
const DOOR: Condition = { any: [{ visible: ['nameField', 'join'] }, { all: [{ present: ['join'] }, { visible: ['microphoneOn'] }] }] }
const ACCOUNT_WALL: Condition = {
  any: [{ host: ['accounts.google.com'] }, { all: [{ not: DOOR }, { sentences: ['sign_in_line'] }, { sentences: ['account'] }] }],
}
/** Viewers of a live stream are on a site of its own. */
const VIEW_ONLY: Condition = { host: ['stream.meet.google.com'] }
const MARKETING: Condition = { host: ['workspace.google.com'] }

export const SCREEN_RULES: PageRules['screens'] = {
  door: [
    // It offers to ask again, like a denial.
    says('unanswered'),
    says('denied'),
    { screen: 'captcha', when: { captcha: true } },
    { screen: 'sign_in', when: ACCOUNT_WALL },
    { screen: 'marketing', when: MARKETING },
    { screen: 'view_only', when: VIEW_ONLY },
    ...(
      ['signed_out', 'encrypted', 'restricted', 'full', 'refused', 'invalid', 'not_found', 'removed', 'ended', 'problem', 'lost'] as const
    ).map(says),
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
    says('moving'),
    { screen: 'blank', when: { empty: true } },
  ],
}

export const VERDICTS: PageRules['verdicts'] = {
  ...verdictsOf('Google Meet'),
  encrypted: verdict('MeetingEncrypted', 'The meeting is encrypted for its invited people, so a bot cannot record it'),
  view_only: verdict('ViewOnly', 'Google Meet lets the bot only watch a live stream of this meeting'),
  restricted: verdict('MeetingRestricted', 'Only people who were invited may join this meeting'),
  refused: { ...verdict('JoinRefused', 'Google Meet does not let this client join'), tryAfresh: true },
  problem: { ...verdictsOf('Google Meet').problem, tryAfresh: true },
  full: verdict('JoinRefused', 'Google Meet reports that the meeting is full'),
  sign_in: verdict('SignInRequired', 'The meeting asks for a Google Account'),
  signed_out: verdict('LoginFailed', 'Google Meet no longer accepts the sign-in of the account'),
  invalid: verdict('InvalidMeetingLink', 'Invalid meeting code'),
  marketing: verdict('MeetingNotFound', 'Google Meet redirected the bot to its marketing page'),
  blank: { ...verdict('JoinRefused', 'Google Meet shows an empty page', 15), onceAskedSeconds: 3 },
}

/** Google Meet drops a browser that it does not trust with one of these errors, up to half a second after the request to join. */
export const FATAL_ERRORS = ['DisconnectedError', 'EndCause']
