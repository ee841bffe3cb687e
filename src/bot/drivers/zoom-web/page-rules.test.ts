// The page rules of Zoom's web client: their consistency, and screens that are easily confused.
import { expect, test } from 'vitest'
import { type MeetingLink, parseMeetingLink } from '../../../domain/meeting-link.ts'
import { factsOf, plain } from '../browser-meeting/facts.ts'
import type { Screen, Stage } from '../browser-meeting/page-rules.ts'
import { replacePageRules } from '../browser-meeting/replace-page-rules.ts'
import { screenOf } from '../browser-meeting/screens.ts'
import { zoomWeb } from './client.ts'
import { SENTENCES } from './sentences.ts'

const { pageRules } = zoomWeb

test('accepts its own printed page rules unchanged', () => {
  const printed = replacePageRules(pageRules, JSON.parse(JSON.stringify(pageRules)))
  expect(printed.problems).toEqual([])
  expect(printed.pageRules).toEqual(pageRules)
})

test('has all sentences in normalised form', () => {
  for (const { says } of Object.values<{ says: readonly string[] }>(SENTENCES))
    for (const sentence of says) expect(sentence).toBe(plain(sentence))
})

test('builds an address that skips the launcher, with passcode and registration', () => {
  const addressOf = (link: string) => zoomWeb.addressOf({ meeting: parseMeetingLink(link) as MeetingLink } as never, 'record').href
  expect(addressOf('https://us02web.zoom.us/j/81234567890?pwd=Ab1.1')).toBe('https://app.zoom.us/wc/81234567890/join?fromPWA=1&pwd=Ab1.1')
  expect(addressOf('https://zoom.us/j/81234567890?tk=abc')).toBe('https://app.zoom.us/wc/81234567890/join?fromPWA=1&tk=abc')
})

type Seen = { readonly url?: string; readonly text: string; readonly visible?: readonly string[]; readonly present?: readonly string[] }
type Row = readonly [what: string, screen: Screen, stage: Stage, seen: Seen]

const CALL = ['leave', 'chat', 'more']
const OVER = [...CALL, 'dialog']
const WALL =
  'We detected you may be a bot. Automated bots aren’t allowed to join this meeting or webinar and must use Zoom RTMS.\nIf this was a mistake and you are a human, sign in to join the meeting.'

const ROWS: readonly Row[] = [
  ['the block page for bots, with a sign-in button', 'refused', 'door', { text: WALL, visible: ['signIn'] }],
  ['the block page for bots in German', 'refused', 'door', { text: 'Automatisierte Bots dürfen nicht an diesem Meeting teilnehmen.' }],
  ['a page that requires a sign-in', 'sign_in', 'door', { text: 'Sign in to join this meeting' }],
  ['a captcha', 'captcha', 'door', { text: 'Verify to continue\nContinue' }],
  ['a locked meeting', 'restricted', 'door', { text: 'Unable to join this meeting\nHost has locked this meeting.' }],
  ['a full meeting', 'full', 'door', { text: 'Meeting capacity has been reached' }],
  ['a wrong passcode over the preview', 'invalid', 'door', { text: 'Passcode wrong', visible: ['nameField', 'join'] }],
  ['an invalid link', 'not_started', 'door', { text: 'This meeting link is invalid (3,001)' }],
  ['the preview', 'prejoin', 'door', { text: 'Your Name', visible: ['nameField', 'join'] }],
  ['the terms', 'prejoin', 'door', { text: 'To use Zoom, you need to agree', visible: ['agree'] }],
  ['the launcher', 'prejoin', 'door', { text: 'Launch Meeting', visible: ['fromBrowser'] }],
  ['a meeting that its host has not started', 'early', 'door', { text: 'Waiting for the host to start the meeting.', present: CALL }],
  [
    'a waiting room inside the container of the call',
    'waiting',
    'door',
    { text: 'The host will admit you when they’re ready', present: CALL },
  ],
  ['a waiting room in Dutch', 'waiting', 'door', { text: 'De host laat u zo binnen' }],
  ['a waiting room in Chinese', 'waiting', 'door', { text: '请稍候，会议主持人很快就会请你加入。' }],
  ['a page that is joining', 'lost', 'door', { text: 'Joining Meeting…' }],
  ['the call', 'inside', 'door', { text: 'Mute', present: CALL }],
  ['a running call', 'inside', 'call', { text: 'Mute', present: CALL }],
  [
    'a bot that is put back into the waiting room',
    'waiting',
    'call',
    { text: 'Please wait, the meeting host will let you in soon.', present: CALL },
  ],
  ['a removal over the controls', 'removed', 'call', { text: 'You have been removed from this meeting by the host.', present: OVER }],
  ['the end over the controls', 'ended', 'call', { text: 'This meeting has been ended by host\nOK', present: OVER }],
  ['the end without controls', 'ended', 'call', { text: 'This meeting has been ended by host' }],
  ['an end sentence inside a running call', 'inside', 'call', { text: 'This meeting has been ended by host', present: CALL }],
  ['a lost connection over the controls', 'lost', 'call', { text: 'Trying to reconnect', present: OVER }],
  [
    'a bot that was removed before',
    'denied',
    'door',
    { text: 'You are unable to rejoin this meeting because you were previously removed' },
  ],
  ['the page for registrants', 'registration', 'door', { text: 'Register', url: 'https://us02web.zoom.us/webinar/register/WN_Ab3' }],
  ['a topic that mentions registration', 'prejoin', 'door', { text: 'Meeting registration desk\nYour Name', visible: ['nameField'] }],
  ['a form for registrants', 'registration', 'door', { text: 'Topic\nMeeting Registration' }],
  ['a captcha with a picture over the preview', 'image_captcha', 'door', { text: 'Your Name', visible: ['nameField', 'imageCaptcha'] }],
  ['a waiting room that only says to wait', 'waiting', 'door', { text: 'Weekly review\nPlease wait\nLeave', present: CALL }],
  ['a page that joins and asks to wait', 'lost', 'door', { text: 'Joining Meeting…\nPlease wait' }],
  ['the words of a waiting room in a running call', 'inside', 'call', { text: 'Waiting Room', present: CALL }],
  ['the home page after the call', 'left', 'call', { text: 'One platform', url: 'https://www.zoom.us/' }],
  ['the home page of the client after the call', 'left', 'call', { text: 'Home', url: 'https://app.zoom.us/wc/home' }],
  ['the home page of the client before the call', 'marketing', 'door', { text: 'Home', url: 'https://app.zoom.us/wc/home' }],
  ['the way into a breakout room', 'moving', 'call', { text: 'Joining Breakout Room: Red' }],
  ['the way back from a breakout room', 'moving', 'call', { text: 'Returning to Main Session' }],
  ['a breakout room', 'inside', 'call', { text: 'Leave Room', present: CALL }],
  ['a lost connection', 'lost', 'call', { text: 'Trying to reconnect' }],
]

test.each(ROWS)(
  'recognises %s as %s',
  (_what, screen, stage, { text, visible = [], present = [], url = 'https://app.zoom.us/wc/81234567890/join' }) => {
    const facts = factsOf({ text, visible, present: [...visible, ...present] }, url)
    expect(screenOf(facts, pageRules, stage)).toBe(screen)
  },
)
