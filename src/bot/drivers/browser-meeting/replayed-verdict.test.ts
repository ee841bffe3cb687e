import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import type { FieldStep } from '../../../domain/field-kit.ts'
import type { Facts } from './facts.ts'
import type { PageRules, Screen } from './page-rules.ts'
import { ReplayedVerdict } from './replayed-verdict.ts'

const CLIENT = { label: 'Teams', pageRules: { verdicts: {}, fatalErrors: [] } as unknown as PageRules }
const NOTHING_SEEN = { url: '', text: '', words: '', visible: new Set(), people: [] } as unknown as Facts

function replayed() {
  const verdict = new ReplayedVerdict(CLIENT, { on: () => undefined } as unknown as Page)
  return {
    verdict,
    see: (at: number, stage: 'door' | 'call', screen: Screen) =>
      verdict.see(step(at, stage, screen), { screen, facts: NOTHING_SEEN, ownEnd: null }),
  }
}

function step(at: number, stage: 'door' | 'call', screen: Screen, hasAsked = true): Extract<FieldStep, { kind: 'screen' }> {
  return { kind: 'screen', at, stage, screen, rule: 0, hasAsked, controls: [], people: [], documents: [], picture: null }
}

test('admits by an entered call that changed before it was copied', () => {
  const { verdict, see } = replayed()
  see(0, 'door', 'waiting')
  verdict.trust(step(1_000, 'door', 'inside'))
  see(2_000, 'call', 'inside')
  expect(verdict.at(9_000, 'admitted, then stayed')).toBe('admitted, then stayed')
})

test('takes a denial that changed before it was copied as it was recorded', () => {
  const { verdict, see } = replayed()
  see(0, 'door', 'waiting')
  verdict.trust(step(1_000, 'door', 'denied'))
  expect(verdict.at(2_000, 'refused')).toBe('refused')
})

test('does not admit by a call that no screen before it led to', () => {
  const { verdict, see } = replayed()
  see(0, 'door', 'waiting')
  verdict.trust(step(1_000, 'call', 'inside'))
  expect(verdict.at(2_000, 'admitted, then stayed')).toBe('none')
})
