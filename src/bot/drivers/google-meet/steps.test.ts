// The next control to press before the meeting, and the verdict of a screen that stays.
import { expect, test } from 'vitest'
import { CallWatch } from '../browser-meeting/call.ts'
import { linesOf } from '../browser-meeting/chat.ts'
import { factsOf } from '../browser-meeting/facts.ts'
import type { ControlName, Screen } from '../browser-meeting/page-rules.ts'
import { Patience } from '../browser-meeting/patience.ts'
import { nextStep, Presses } from '../browser-meeting/steps.ts'
import { googleMeet } from './client.ts'

const seen = (visible: readonly ControlName[], typed = '') => factsOf({ visible, present: visible, typed }, 'https://meet.google.com/x')
const fresh = () => ({ name: 'Emissary', notices: googleMeet.pageRules.notices.door, presses: new Presses(), askedAt: null })

test('presses notices first, then fills in the name, sets the devices and presses join', () => {
  const all: readonly ControlName[] = ['join', 'cameraOn', 'microphoneOn', 'nameField', 'gotIt', 'withoutAccount', 'withoutDevices']
  expect(nextStep(seen(all), fresh(), 0)).toEqual({ kind: 'press', control: 'withoutDevices' })
  expect(nextStep(seen(all.slice(0, 6)), fresh(), 0)).toEqual({ kind: 'press', control: 'withoutAccount' })
  expect(nextStep(seen(all.slice(0, 5)), fresh(), 0)).toEqual({ kind: 'press', control: 'gotIt' })
  expect(nextStep(seen(all.slice(0, 4)), fresh(), 0)).toEqual({ kind: 'type' })
  expect(nextStep(seen(all.slice(0, 4), 'Emissary'), fresh(), 0)).toEqual({ kind: 'press', control: 'microphoneOn' })
  expect(nextStep(seen(all.slice(0, 2)), fresh(), 0)).toEqual({ kind: 'press', control: 'cameraOn' })
  expect(nextStep(seen(['join']), fresh(), 0)).toEqual({ kind: 'press', control: 'join' })
  expect(nextStep(seen(['microphoneOff', 'cameraOff']), fresh(), 0)).toBeNull()
})

test('presses join again only after a while, and dismisses notices meanwhile', () => {
  const asked = { ...fresh(), askedAt: 1_000 }
  expect(nextStep(seen(['join']), asked, 2_000)).toBeNull()
  expect(nextStep(seen(['join', 'gotIt']), asked, 2_000)).toEqual({ kind: 'press', control: 'gotIt' })
  expect(nextStep(seen(['join']), asked, 12_000)).toEqual({ kind: 'press', control: 'join' })
})

test('presses another notice when one cannot be pressed', () => {
  const progress = fresh()
  const both = seen(['gotIt', 'closeToast', 'join'])
  expect(nextStep(both, progress, 0)).toEqual({ kind: 'press', control: 'gotIt' })
  progress.presses.count('gotIt', false)
  expect(nextStep(both, progress, 0)).toEqual({ kind: 'press', control: 'closeToast' })
})

test('gives up on a switch that does not change', () => {
  const progress = fresh()
  for (let press = 0; press < 5; press++) progress.presses.count('microphoneOn', true)
  expect(nextStep(seen(['microphoneOn', 'join']), progress, 0)).toEqual({ kind: 'press', control: 'join' })
})

test('retries failed presses a limited number of times', () => {
  const progress = fresh()
  for (let tries = 0; tries < 14; tries++) progress.presses.count('join', false)
  expect(nextStep(seen(['join'], 'Emissary'), progress, 0)).toEqual({ kind: 'press', control: 'join' })
  progress.presses.count('join', false)
  expect(nextStep(seen(['join'], 'Emissary'), progress, 0)).toBeNull()
})

test('returns a verdict once its screen has stayed long enough', () => {
  const patience = new Patience(googleMeet.pageRules.verdicts)
  const facts = factsOf({ text: 'You can’t join this video call' }, 'https://meet.google.com/x')
  expect(patience.see('refused', facts, 0, true)).toBeNull()
  expect(patience.see('prejoin', facts, 900, true)).toBeNull()
  expect(patience.see('refused', facts, 1_000, true)).toBeNull()
  expect(patience.see('refused', facts, 2_000, true)).toEqual({
    reason: 'JoinRefused',
    tryAfresh: true,
    message: 'Google Meet does not let this client join: “You can’t join this video call”',
  })
})

const REFUSAL = factsOf({ text: 'You can’t join this call' }, 'https://meet.google.com/x')
const ELSEWHERE = factsOf({ text: 'Meet for everyone' }, 'https://workspace.google.com/products/meet/')
const NOTHING = factsOf(null, 'https://workspace.google.com/products/meet/')

test('keeps the verdict of a page that redirects soon', () => {
  const patience = new Patience(googleMeet.pageRules.verdicts)
  expect(patience.see('restricted', REFUSAL, 0, true)).toBeNull()
  expect(patience.see('blank', NOTHING, 500, true)).toBeNull()
  expect(patience.see('marketing', ELSEWHERE, 600, true)).toBeNull()
  expect(patience.see('marketing', ELSEWHERE, 1_600, true)).toEqual({
    reason: 'MeetingRestricted',
    message: 'Only people who were invited may join this meeting: “You can’t join this call”',
  })
})

test('reports a redirect without a reason as a refusal after the request to join', () => {
  const ledAway = (hasAsked: boolean) => {
    const patience = new Patience(googleMeet.pageRules.verdicts)
    patience.see('restricted', REFUSAL, 0, hasAsked)
    // A flicker: the entry page came back.
    patience.see('prejoin', NOTHING, 100, hasAsked)
    patience.see('marketing', ELSEWHERE, 200, hasAsked)
    return patience.see('marketing', ELSEWHERE, 1_200, hasAsked)?.reason
  }
  expect(ledAway(true)).toBe('JoinRefused')
  expect(ledAway(false)).toBe('MeetingNotFound')
})

test('has no verdict while waiting, however long', () => {
  const patience = new Patience(googleMeet.pageRules.verdicts)
  const facts = factsOf({ text: 'Asking to be let in' }, 'https://meet.google.com/x')
  for (const screen of ['waiting', 'not_started', 'inside'] as const) {
    patience.see(screen, facts, 0, true)
    expect(patience.see(screen, facts, 3_600_000, true)).toBeNull()
  }
})

const watched = (looks: readonly (readonly [Screen, 'left' | 'removed' | 'ended' | 'lost' | null, number])[]) => {
  const watch = new CallWatch(0)
  return looks.map(([screen, own, at]) => watch.see(screen, own, at)).at(-1)
}

test('recognises how a call ends', () => {
  expect(watched([['inside', null, 1]])).toBeNull()
  expect(watched([['removed', null, 1]])).toBe('removed')
  expect(watched([['ended', 'left', 1]])).toBe('ended')
  expect(watched([['encrypted', null, 1]])).toBe('removed')
  expect(watched([['inside', 'removed', 1]])).toBe('removed')
  expect(watched([['inside', 'left', 1]])).toBeNull()
  expect(
    watched([
      ['inside', 'left', 1],
      ['inside', 'left', 4_000],
    ]),
  ).toBe('ended')
  expect(
    watched([
      ['inside', 'left', 1],
      ['inside', null, 2_000],
      ['inside', 'left', 4_000],
    ]),
  ).toBeNull()
})

test('takes no move between rooms for the end, unless it takes more than 90 seconds', () => {
  expect(
    watched([
      ['inside', 'left', 1],
      ['moving', 'left', 1_000],
      ['moving', 'left', 89_000],
      ['inside', null, 90_000],
    ]),
  ).toBeNull()
  expect(
    watched([
      ['moving', null, 1_000],
      ['moving', null, 91_001],
    ]),
  ).toBe('stuck')
})

test.each(['removed', 'ended', 'lost'] as const)('believes the platform that the call is over (%s) while the page seems to move', (end) => {
  expect(watched([['moving', end, 1]])).toBe(end)
})

test('tolerates a lost network for a minute', () => {
  expect(
    watched([
      ['inside', null, 1_000],
      ['lost', null, 59_000],
    ]),
  ).toBeNull()
  expect(
    watched([
      ['inside', null, 1_000],
      ['lost', null, 59_000],
      ['inside', null, 60_000],
      ['lost', null, 119_000],
    ]),
  ).toBeNull()
  expect(
    watched([
      ['inside', null, 1_000],
      ['lost', null, 61_001],
    ]),
  ).toBe('lost')
  expect(
    watched([
      ['inside', null, 1_000],
      ['unknown', null, 61_001],
    ]),
  ).toBe('lost')
})

const lines500 = (text: string) => linesOf(text, googleMeet.longestChatLine)

test('splits a long message into lines of at most 500 characters, between words', () => {
  expect(lines500('Hello')).toEqual(['Hello'])
  expect(lines500('  ')).toEqual([])
  const long = Array.from({ length: 300 }, (_, index) => `word${index}`).join(' ')
  const lines = lines500(long)
  expect(lines.join(' ')).toBe(long)
  for (const line of lines) expect(line.length).toBeLessThanOrEqual(500)
  expect(lines500('x'.repeat(1_100)).map((line) => line.length)).toEqual([500, 500, 100])
  expect(lines500(`${'x'.repeat(499)}😀y`)).toEqual(['x'.repeat(499), '😀y'])
})
