// Recognises the screens of Microsoft Teams, with a verdict for each. Explicit refusals come first: the entry page may stay visible behind one.
import { FLICKER, pairsOf, says, verdict, verdictsOf } from '../browser-meeting/common-rules.ts'
import type { Condition, PageRules } from '../browser-meeting/page-rules.ts'

/** A redirect to one of these means that a sign-in is required. */
export const SIGN_IN_HOSTS: readonly string[] = [
  ...['login.microsoftonline.com', 'login.microsoftonline.us', 'login.microsoftonline.de', 'login.partner.microsoftonline.cn'],
  ...['login.microsoft.com', 'login.live.com', 'login.windows.net'],
]
const SIGN_IN: Condition = { any: [{ host: SIGN_IN_HOSTS }, { sentences: ['sign_in'] }, { visible: ['loginForm'] }] }
const ENCRYPTED: Condition = { any: [{ present: ['encryptionError'] }, { sentences: ['encrypted'] }] }

/** The menu exists only in a call. Of the others two are required: the lobby may have one. */
const IN_CALL: Condition = {
  any: [
    { present: ['moreOptions'] },
    ...pairsOf([{ present: ['leave'] }, { present: ['chat'] }, { present: ['people'] }, { present: ['raise'] }]),
  ],
}

export const SCREEN_RULES: PageRules['screens'] = {
  door: [
    says('denied'),
    { screen: 'captcha', when: { any: [{ sentences: ['captcha'] }, { captcha: true }] } },
    { screen: 'sign_in', when: SIGN_IN },
    says('restricted'),
    { screen: 'encrypted', when: ENCRYPTED },
    ...(['invalid', 'not_found', 'removed', 'ended', 'problem'] as const).map(says),
    { screen: 'invalid', when: { visible: ['passcode'] } },
    says('early'),
    says('waiting'),
    { screen: 'inside', when: IN_CALL },
    says('lost'),
    says('left'),
    { screen: 'prejoin', when: { visible: ['nameField', 'join', 'onWeb'] } },
    says('view_only'),
    { screen: 'blank', when: { empty: true } },
  ],
  call: [
    says('lost'),
    // A page with call controls is in the call, whatever the names and messages of participants say.
    { screen: 'inside', when: IN_CALL },
    ...(['removed', 'denied', 'ended', 'left', 'moving'] as const).map(says),
    { screen: 'encrypted', when: ENCRYPTED },
    { screen: 'sign_in', when: SIGN_IN },
    { screen: 'inside', when: { people: true } },
    { screen: 'blank', when: { empty: true } },
  ],
}

/** The client's code is tens of megabytes. */
const LOADING = 30
/** Teams sends some guests to the sign-in while it admits others in the same minute. */
const ONCE_MORE = { afterSeconds: FLICKER, most: 1 }

export const VERDICTS: PageRules['verdicts'] = {
  ...verdictsOf('Microsoft Teams'),
  sign_in: { ...verdict('SignInRequired', 'The meeting asks for a Microsoft account'), reload: ONCE_MORE },
  restricted: verdict('MeetingRestricted', 'External attendees cannot join this event before it begins'),
  view_only: verdict('ViewOnly', 'Attendees of this town hall can only watch a stream', 5),
  encrypted: verdict('MeetingEncrypted', 'The meeting is end-to-end encrypted, which browsers cannot join'),
  invalid: verdict('InvalidMeetingLink', 'The link is invalid, or its passcode is wrong or missing'),
  blank: { ...verdict('ConnectionLost', 'Microsoft Teams did not finish loading', LOADING), reload: { afterSeconds: LOADING, most: 1 } },
}
