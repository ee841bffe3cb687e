// Where the tab is, from what was seen: every screen, and every trap that has led bots astray.
import { expect, test } from 'vitest'
import { type Facts, factsOf, plain } from '../web-client/facts.ts'
import { screenOf } from '../web-client/screens.ts'
import type { ControlName, Screen, Stage } from '../web-client/tables.ts'
import { TABLES } from './client.ts'

type Seen = {
  readonly url?: string
  readonly text?: string
  readonly visible?: readonly ControlName[]
  /** There, but hidden. */
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
    'a guest before the meeting',
    'prejoin',
    { text: 'Ready to join?\nNew to Meet? Sign in with your Google Account', visible: ['nameField'] },
  ],
  ['somebody who is signed in', 'prejoin', { text: 'Ready to join?', visible: ['join', 'microphoneOn'] }],
  ['a join button that waits for the name', 'prejoin', { text: 'Getting ready', visible: ['nameField'], hidden: ['join'] }],
  ['the lobby', 'waiting', { text: 'Asking to be let in...\nReturn to home screen', visible: LOBBY }],
  ['the lobby with a typographer’s apostrophe', 'waiting', { text: 'You’ll join the call when someone lets you in', visible: LOBBY }],
  ['the lobby of an organiser', 'waiting', { text: 'Please wait until a meeting host brings you into the call', visible: LOBBY }],
  ['the lobby in German', 'waiting', { text: 'Bitte warten Sie, bis Sie vom Organisator zugelassen werden', visible: LOBBY }],
  ['a lobby in a language nobody told us of', 'waiting', { text: 'Várakozás', visible: LOBBY }],
  ['a tile while the lobby still says so', 'waiting', { text: 'Asking to be let in', visible: LOBBY, people: ['Emissary'] }],
  ['the call', 'inside', { text: 'Ada', visible: TOOLBAR, people: ['Emissary', 'Ada'] }],
  ['the call, its toolbar hidden', 'inside', { text: 'Ada', hidden: TOOLBAR, people: ['Emissary'] }],
  ['a lobby with one control of the call', 'waiting', { text: 'Einen Moment', visible: [...LOBBY, 'chat'] }],
  ['a lobby that speaks of the call', 'waiting', { text: 'You have joined the call', visible: LOBBY }],
  [
    'a host who admits',
    'waiting',
    { text: 'Please wait until a meeting host admits you to the call', visible: TOOLBAR, people: ['Emissary'] },
  ],
  ['a short lobby', 'waiting', { text: 'Asking to join', visible: LOBBY }],
  ['a lobby that waits to be let in', 'waiting', { text: 'Waiting to be let in', visible: TOOLBAR }],
  ['a meeting that is full', 'full', { text: 'The meeting is full' }],
  ['a problem joining', 'refused', { text: 'We encountered a problem joining this video call' }],
  ['a call that cannot be joined', 'refused', { text: 'You cannot join this call' }],
  ['a denial in other words', 'denied', { text: 'You were not admitted to this call', visible: LOBBY }],
  ['the call in German', 'inside', { text: 'Du nimmst an diesem Anruf teil', visible: ['leave'], people: ['Emissary'] }],
  ['a preview of oneself beside the button', 'prejoin', { text: 'Ready to join?', visible: ['join'], people: ['Emissary'] }],
  [
    'a consent that looks like a door, in front of the call',
    'inside',
    { text: 'This video call is being recorded', visible: ['consent', 'join'], hidden: TOOLBAR, people: ['Emissary'] },
  ],
  ['a denial', 'denied', { text: 'Someone in the call denied your request to join\nReturn to home screen' }],
  [
    'a denial behind which the lobby’s words stay',
    'denied',
    { text: 'Asking to be let in...\nYour request to join was denied', visible: LOBBY },
  ],
  ['a denial in front of a captcha', 'denied', { text: 'You weren’t allowed to join', captcha: true }],
  ['a denial in German', 'denied', { text: 'Ihre Teilnahmeanfrage wurde abgelehnt' }],
  ['a denial told as leaving', 'left', { text: 'You left the meeting\nReturn to home screen' }],
  ['nobody answered', 'unanswered', { text: 'No one responded to your request to join the call\nAsk to join again' }],
  ['nobody answered in German', 'unanswered', { text: 'Niemand hat auf Ihre Teilnahmeanfrage geantwortet' }],
  ['a captcha in front of the door', 'captcha', { text: 'Ready to join?', visible: ['join'], captcha: true }],
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
  ['no such meeting', 'not_found', { text: 'Meeting not found.' }],
  ['the marketing page', 'marketing', { url: 'https://workspace.google.com/products/meet/', text: 'Video calls for everyone' }],
  ['an ended meeting', 'ended', { text: 'This meeting has ended' }],
  ['a meeting whose host is not there', 'not_started', { text: 'Waiting for the host to join' }],
  ['a problem', 'problem', { text: 'There is a problem connecting to this video call' }],
  ['no network', 'lost', { text: 'You lost your network connection. Trying to reconnect' }],
  ['a black page', 'blank', {}],
  ['something else', 'unknown', { text: 'Welcome' }],
  ['a bot that is called like a state', 'prejoin', { text: 'Call ended notes\nReady to join?', visible: ['join'] }],
]

const IN_THE_CALL: readonly (readonly [string, Screen, Seen])[] = [
  ['the call', 'inside', { text: '10:32', visible: TOOLBAR, people: ['Emissary', 'Ada'] }],
  [
    'somebody who writes what the page might say',
    'inside',
    { text: "You've been removed from the meeting", hidden: TOOLBAR, people: ['Emissary'] },
  ],
  ['removed', 'removed', { text: 'You’ve been removed from the meeting\nReturn to home screen' }],
  ['removed, a tile left over', 'removed', { text: "You've been removed from the meeting", people: ['Emissary'] }],
  ['ended for everyone', 'ended', { text: 'Your host ended the meeting for everyone' }],
  ['everyone left', 'ended', { text: 'The call ended because everyone left' }],
  ['left', 'left', { text: 'You left the meeting' }],
  ['a lost network over the call', 'lost', { text: 'You lost your network connection', visible: TOOLBAR, people: ['Emissary'] }],
  ['a consent in front of the call', 'inside', { text: 'This video call is being recorded', visible: ['consent'], people: ['Emissary'] }],
  ['led away', 'marketing', { url: 'https://workspace.google.com/products/meet/', text: 'Video calls' }],
  ['nothing', 'blank', {}],
]

function judge(stage: Stage, rows: typeof AT_THE_DOOR): void {
  test.each(rows)(`${stage}: %s is %s`, (_what, screen, seen) => expect(screenOf(facts(seen), TABLES, stage)).toBe(screen))
}
judge('door', AT_THE_DOOR)
judge('call', IN_THE_CALL)

test('words are compared as a reader reads them', () => {
  expect(plain('  You’ll  join\u00a0the call \n\n when ')).toBe("you'll join the call\nwhen")
})

test('a page that answers nothing, or nonsense, is a page where nothing was seen', () => {
  for (const seen of [null, undefined, 7, 'x', [], { text: 3, visible: 'join', people: [null, 1] }])
    expect(['blank', 'inside']).toContain(screenOf(factsOf(seen, 'about:blank'), TABLES, 'door'))
  expect(screenOf(factsOf(null, 'about:blank'), TABLES, 'door')).toBe('blank')
})
