// Recognising every screen of Google Meet from a snapshot, and screens that are easily confused.
import { expect, test } from 'vitest'
import { type Facts, factsOf, plain } from '../browser-meeting/facts.ts'
import type { ControlName, Screen, Stage } from '../browser-meeting/page-rules.ts'
import { screenOf } from '../browser-meeting/screens.ts'
import { googleMeet } from './client.ts'

type Seen = {
  readonly url?: string
  readonly text?: string
  readonly visible?: readonly ControlName[]
  /** Present, but hidden. */
  readonly hidden?: readonly ControlName[]
  readonly captcha?: boolean
  readonly people?: readonly string[]
}

function facts({
  url = 'https://meet.google.com/abc-defg-hij?hl=en',
  text = '',
  visible = [],
  hidden = [],
  captcha = false,
  people = [],
}: Seen): Facts {
  const tiles = people.map((name, index) => ({ id: `spaces/x/devices/${index}`, name, isSelf: index === 0 }))
  return factsOf({ text, visible, present: [...visible, ...hidden], typed: '', captcha, people: tiles }, url)
}

const LOBBY: readonly ControlName[] = ['leave', 'microphoneOff', 'cameraOff']
const TOOLBAR: readonly ControlName[] = [...LOBBY, 'chat', 'people', 'captionsAreOff']

const AT_THE_DOOR: readonly (readonly [string, Screen, Seen])[] = [
  [
    'the join page of a guest',
    'prejoin',
    { text: 'Ready to join?\nNew to Meet? Sign in with your Google Account', visible: ['nameField'] },
  ],
  ['the join page of an account', 'prejoin', { text: 'Ready to join?', visible: ['join', 'microphoneOn'] }],
  ['a join button that waits for the name', 'prejoin', { text: 'Getting ready', visible: ['nameField'], hidden: ['join'] }],
  ['the lobby', 'waiting', { text: 'Asking to be let in...\nReturn to home screen', visible: LOBBY }],
  ['the lobby with a typographer’s apostrophe', 'waiting', { text: 'You’ll join the call when someone lets you in', visible: LOBBY }],
  ['the lobby of an organiser', 'waiting', { text: 'Please wait until a meeting host brings you into the call', visible: LOBBY }],
  ['the lobby in German', 'waiting', { text: 'Bitte warten Sie, bis Sie vom Organisator zugelassen werden', visible: LOBBY }],
  ['the lobby in an unknown language', 'waiting', { text: 'Várakozás', visible: LOBBY }],
  ['the lobby with the bot’s own tile', 'waiting', { text: 'Asking to be let in', visible: LOBBY, people: ['Emissary'] }],
  ['the call', 'inside', { text: 'Ada', visible: TOOLBAR, people: ['Emissary', 'Ada'] }],
  ['the call, its toolbar hidden', 'inside', { text: 'Ada', hidden: TOOLBAR, people: ['Emissary'] }],
  ['a lobby with one control of the call', 'waiting', { text: 'Einen Moment', visible: [...LOBBY, 'chat'] }],
  ['the lobby with a sentence about the call', 'waiting', { text: 'You have joined the call', visible: LOBBY }],
  [
    'the lobby with the toolbar and a tile',
    'waiting',
    { text: 'Please wait until a meeting host admits you to the call', visible: TOOLBAR, people: ['Emissary'] },
  ],
  ['the lobby with a short sentence', 'waiting', { text: 'Asking to join', visible: LOBBY }],
  ['the lobby with the toolbar', 'waiting', { text: 'Waiting to be let in', visible: TOOLBAR }],
  ['an encrypted meeting', 'encrypted', { text: 'This meeting uses client-side encryption\nReturn to home screen' }],
  ['a live stream', 'view_only', { url: 'https://stream.meet.google.com/stream/1', text: 'Team meeting\nLive' }],
  ['a meeting that is full', 'full', { text: 'The meeting is full' }],
  ['a problem joining', 'refused', { text: 'We encountered a problem joining this video call' }],
  ['a call that cannot be joined', 'refused', { text: 'You cannot join this call' }],
  ['a denial in other words', 'denied', { text: 'You were not admitted to this call', visible: LOBBY }],
  ['the call in German', 'inside', { text: 'Du nimmst an diesem Anruf teil', visible: ['leave'], people: ['Emissary'] }],
  ['the join page with a preview of the camera', 'prejoin', { text: 'Ready to join?', visible: ['join'], people: ['Emissary'] }],
  [
    'a consent with a join button in front of the call',
    'inside',
    { text: 'This video call is being recorded', visible: ['consent', 'join'], hidden: TOOLBAR, people: ['Emissary'] },
  ],
  ['a denial', 'denied', { text: 'Someone in the call denied your request to join\nReturn to home screen' }],
  ['a denial with the lobby’s sentence', 'denied', { text: 'Asking to be let in...\nYour request to join was denied', visible: LOBBY }],
  ['a denial in front of a captcha', 'denied', { text: 'You weren’t allowed to join', captcha: true }],
  ['a denial in German', 'denied', { text: 'Ihre Teilnahmeanfrage wurde abgelehnt' }],
  ['a denial that reads as leaving', 'left', { text: 'You left the meeting\nReturn to home screen' }],
  ['a request without an answer', 'unanswered', { text: 'No one responded to your request to join the call\nAsk to join again' }],
  ['a request without an answer, in German', 'unanswered', { text: 'Niemand hat auf Ihre Teilnahmeanfrage geantwortet' }],
  ['a captcha over the join page', 'captcha', { text: 'Ready to join?', visible: ['join'], captcha: true }],
  ['the refusal page', 'refused', { text: 'You can’t join this video call\nReturning to home screen in 57\nReturn to home screen' }],
  ['the refusal page in German', 'refused', { text: 'Sie können nicht an diesem Videoanruf teilnehmen' }],
  ['the refusal page of 2026', 'refused', { text: "You can't join this meeting" }],
  [
    'an organisation’s rule',
    'restricted',
    { text: "You can't join this video call\nNo one can join a meeting unless invited or admitted by the host" },
  ],
  ['Google’s own sign-in', 'sign_in', { url: 'https://accounts.google.com/v3/signin/identifier?x=1', text: 'Sign in' }],
  ['a sign-in in place', 'sign_in', { text: 'Sign in\nwith your Google Account to join' }],
  ['a stale account', 'signed_out', { text: 'Your sign-in credentials might have changed' }],
  ['a wrong code', 'invalid', { text: 'Check your meeting code\nMake sure you entered the correct code' }],
  ['a code that does not work', 'invalid', { text: 'The meeting code you entered doesn’t work' }],
  ['an expired code', 'not_found', { text: 'Your meeting code has expired' }],
  ['an unknown meeting', 'not_found', { text: 'Meeting not found.' }],
  ['the marketing page', 'marketing', { url: 'https://workspace.google.com/products/meet/', text: 'Video calls for everyone' }],
  ['an ended meeting', 'ended', { text: 'This meeting has ended' }],
  ['a meeting whose host is not there', 'not_started', { text: 'Waiting for the host to join' }],
  ['a problem', 'problem', { text: 'There is a problem connecting to this video call' }],
  ['no network', 'lost', { text: 'You lost your network connection. Trying to reconnect' }],
  ['an empty page', 'blank', {}],
  ['an unknown sentence', 'unknown', { text: 'Welcome' }],
  ['a bot whose name is a sentence of the page', 'prejoin', { text: 'Call ended notes\nReady to join?', visible: ['join'] }],
]

const IN_THE_CALL: readonly (readonly [string, Screen, Seen])[] = [
  ['the call', 'inside', { text: '10:32', visible: TOOLBAR, people: ['Emissary', 'Ada'] }],
  [
    'a chat message with a sentence of the page',
    'inside',
    { text: "You've been removed from the meeting", hidden: TOOLBAR, people: ['Emissary'] },
  ],
  ['a removal', 'removed', { text: 'You’ve been removed from the meeting\nReturn to home screen' }],
  ['a removal with a tile', 'removed', { text: "You've been removed from the meeting", people: ['Emissary'] }],
  ['an end for everyone', 'ended', { text: 'Your host ended the meeting for everyone' }],
  ['an end after everyone left', 'ended', { text: 'The call ended because everyone left' }],
  ['a departure', 'left', { text: 'You left the meeting' }],
  ['a lost network over the call', 'lost', { text: 'You lost your network connection', visible: TOOLBAR, people: ['Emissary'] }],
  ['a consent in front of the call', 'inside', { text: 'This video call is being recorded', visible: ['consent'], people: ['Emissary'] }],
  ['a redirect', 'marketing', { url: 'https://workspace.google.com/products/meet/', text: 'Video calls' }],
  ['an empty page', 'blank', {}],
]

function judge(stage: Stage, rows: typeof AT_THE_DOOR): void {
  test.each(rows)(`recognises %s as %s (stage ${stage})`, (_label, screen, seen) =>
    expect(screenOf(facts(seen), googleMeet.pageRules, stage)).toBe(screen),
  )
}
judge('door', AT_THE_DOOR)
judge('call', IN_THE_CALL)

test('normalises case, apostrophes and blanks', () => {
  expect(plain('  You’ll  join\u00a0the call \n\n when ')).toBe("you'll join the call\nwhen")
})

test('reads an empty or invalid snapshot as an empty page', () => {
  for (const seen of [null, undefined, 7, 'x', [], { text: 3, visible: 'join', people: [null, 1] }])
    expect(['blank', 'inside']).toContain(screenOf(factsOf(seen, 'about:blank'), googleMeet.pageRules, 'door'))
  expect(screenOf(factsOf(null, 'about:blank'), googleMeet.pageRules, 'door')).toBe('blank')
})
