// Sentences of Google Meet's pages, normalised, by the screen that each identifies.
import { sentences } from '../browser-meeting/common-rules.ts'
import type { Sentences } from '../browser-meeting/page-rules.ts'

export const SENTENCES = {
  denied: sentences(
    ['someone in the call denied your request to join', 'your request to join was denied', 'you were denied'],
    ['you were not admitted', "you weren't admitted", 'not admitted to this call', 'sie wurden nicht zugelassen'],
    ["weren't allowed to join", 'ask to join again', 'abgelehnt', 'afgewezen', 'geweigerd', '被拒绝', '拒绝了'],
  ),
  unanswered: sentences(['no one responded to your request to join', 'niemand hat auf ihre teilnahmeanfrage geantwortet']),
  restricted: sentences(
    ['unless invited or admitted by the host', 'only people in the organization can join', "your organization doesn't allow"],
    ["your organisation doesn't allow", "doesn't allow guests", 'not allowed by your admin'],
  ),
  encrypted: sentences(
    ['client-side encryption', 'client-side encrypted', 'clientseitige verschlüsselung', 'clientseitig verschlüsselt'],
    ['versleuteling aan clientzijde', '客户端加密'],
  ),
  refused: {
    says: [
      ...[
        'you cannot join this call',
        'you cannot join this video call',
        'we encountered a problem joining',
        'encountered a problem joining',
      ],
      ...["you can't join this video call", "you can't join this call", "you can't join this meeting"],
      ...['sie können nicht an diesem videoanruf teilnehmen', 'du kannst nicht an diesem videoanruf teilnehmen'],
    ],
    lines: ['access denied', 'unable to join'],
  },
  full: {
    says: ['the meeting is full', 'this meeting is full', 'this video call is full', 'die besprechung ist voll', '会议人数已满'],
    lines: ['meeting is full', 'call is full'],
  },
  account: sentences(['your google account']),
  sign_in_line: { says: [], lines: ['sign in'] },
  signed_out: sentences(['your sign-in credentials might have changed']),
  invalid: {
    says: ['check your meeting code', 'invalid video call name', "the meeting code you entered doesn't work"],
    lines: ['invalid meeting'],
  },
  not_found: { says: ['your meeting code has expired', 'your meeting code expired', 'meeting link expired'], lines: ['meeting not found'] },
  removed: sentences(["you've been removed from the meeting", "you've been removed from the call", 'you have been removed from the']),
  ended: {
    says: [
      ...['your host ended the meeting for everyone', 'the host ended the meeting for everyone', 'the call ended because everyone left'],
      ...['this meeting has ended', 'this video call has ended'],
    ],
    lines: ['the call ended', 'call ended', 'the meeting ended', 'meeting ended', 'the meeting has ended'],
  },
  left: { says: [], lines: ['you left the meeting', "you've left the call", "you've left the meeting", 'you left the call'] },
  problem: sentences(['there is a problem connecting to this video call', 'there was a problem connecting to this video call']),
  lost: {
    says: ['you lost your network connection', 'trying to reconnect'],
    lines: ['connection lost', 'reconnecting', 'unable to connect'],
  },
  /** Between a meeting and its breakout room. */
  moving: { says: [], lines: ['getting ready', 'joining'] },
  not_started: sentences(['waiting for the host to join', "the meeting hasn't started", 'this meeting has not started']),
  waiting: {
    says: [
      ...['until a meeting host admits you', 'until the host admits you', 'waiting to be let in', 'waiting for someone to let you in'],
      ...['asking to be let in', "you'll join the call when someone lets you in", 'someone lets you in'],
      ...['please wait until a meeting host brings you into the call', 'waiting for the host to let you in', "you're in the waiting room"],
      ...['bitte warten sie, bis sie', 'bitte warte, bis du', 'solicitando unirte', 'pidiendo unirte'],
    ],
    // So short that a button may say it, too.
    lines: ['asking to join'],
  },
} as const satisfies Record<string, Sentences>
