// The page rules of Microsoft Teams: their consistency, and screens that are easily confused.
import { expect, test } from 'vitest'
import { factsOf, plain } from '../browser-meeting/facts.ts'
import type { Screen, Stage } from '../browser-meeting/page-rules.ts'
import { replacePageRules } from '../browser-meeting/replace-page-rules.ts'
import { screenOf } from '../browser-meeting/screens.ts'
import { teams } from './client.ts'
import { SENTENCES } from './sentences.ts'

const { pageRules } = teams

test('accepts its own printed page rules unchanged', () => {
  const printed = replacePageRules(pageRules, JSON.parse(JSON.stringify(pageRules)))
  expect(printed.problems).toEqual([])
  expect(printed.pageRules).toEqual(pageRules)
})

test('has all sentences in normalised form', () => {
  for (const { says, lines = [] } of Object.values<{ says: readonly string[]; lines?: readonly string[] }>(SENTENCES))
    for (const sentence of [...says, ...lines]) expect(sentence).toBe(plain(sentence))
})

type Seen = { readonly text: string; readonly visible?: readonly string[]; readonly present?: readonly string[]; readonly url?: string }
type Trap = readonly [label: string, screen: Screen, stage: Stage, seen: Seen]

const CALL = ['moreOptions', 'leave', 'chat', 'people']

const TRAPS: readonly Trap[] = [
  ['a healthy page with "Try again" and "OK" on it', 'prejoin', 'door', { text: 'Try again\nOK', visible: ['nameField', 'join'] }],
  ['a lobby that keeps its join button', 'waiting', 'door', { text: 'Someone will let you in shortly', present: ['join'] }],
  ['a page without controls', 'unknown', 'door', { text: 'Loading Microsoft Teams' }],
  ['a page with one control of the call', 'unknown', 'door', { text: 'Leave', visible: ['leave'] }],
  ['a call without other participants', 'inside', 'door', { text: 'Waiting for others to join', visible: CALL }],
  ['a dialog over a healthy page', 'sign_in', 'door', { text: 'We need to verify your info before you can join', visible: ['join'] }],
  ['a sign-in host', 'sign_in', 'door', { text: 'Sign in', url: 'https://login.microsoftonline.com/common' }],
  ['a removal sentence inside a running call', 'inside', 'call', { text: "You've been removed from this meeting", visible: CALL }],
  ['a removal', 'removed', 'call', { text: 'You’ve been removed from this meeting\nRejoin' }],
  ['the page of a call that is over', 'unknown', 'call', { text: 'Thanks for joining\nDismiss' }],
  ['the way into a breakout room', 'moving', 'call', { text: 'Weekly\nJoining Red Team…' }],
  ['an encryption error', 'encrypted', 'door', { text: 'An encryption error occurred' }],
  ['an encryption error in the call', 'encrypted', 'call', { text: 'An encryption error occurred' }],
  ['the sentence "Access denied"', 'unknown', 'call', { text: 'Access denied' }],
]

test.each(TRAPS)(
  'recognises %s as %s',
  (_label, screen, stage, { text, visible = [], present = [], url = 'https://teams.microsoft.com/v2/' }) => {
    expect(screenOf(factsOf({ text, visible, present: [...visible, ...present] }, url), pageRules, stage)).toBe(screen)
  },
)
