// Replacing page rules of Google Meet by those of the operator.
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import type { JsonObject } from '../../../domain/bot.ts'
import { factsOf } from '../browser-meeting/facts.ts'
import { replacePageRules } from '../browser-meeting/replace-page-rules.ts'
import { screenOf } from '../browser-meeting/screens.ts'
import { googleMeet } from './client.ts'

const lobby = factsOf({ text: 'Hold on, the host will be with you', visible: ['microphoneOff'] }, 'https://meet.google.com/abc-defg-hij')

test('accepts its own printed page rules unchanged', () => {
  const { pageRules, problems } = replacePageRules(googleMeet.pageRules, JSON.parse(JSON.stringify(googleMeet.pageRules)))
  expect(problems).toEqual([])
  expect(pageRules).toEqual(googleMeet.pageRules)
})

test('accepts the worked example of the documentation', () => {
  const page = readFileSync(new URL('../../../../docs/page-rules.md', import.meta.url), 'utf8')
  const [, example = ''] = /```json\n([\s\S]*?)```/.exec(page) ?? []
  const { pageRules, problems } = replacePageRules(googleMeet.pageRules, JSON.parse(example))
  expect(problems).toEqual([])
  expect(pageRules.controls.join[0]?.says).toContain('Request entry')
})

test('replaces the given rules and keeps all others', () => {
  const given = {
    $schema: 'x',
    sentences: { waiting: { says: ['the host will be with you'] } },
    controls: { join: [{ says: ['Come in'] }] },
  }
  const { pageRules, problems } = replacePageRules(googleMeet.pageRules, given)
  expect(problems).toEqual([])
  expect(screenOf(lobby, googleMeet.pageRules, 'door')).toBe('unknown')
  expect(screenOf(lobby, pageRules, 'door')).toBe('waiting')
  expect(pageRules.controls.join).toEqual([{ says: ['Come in'] }])
  expect(pageRules.controls.leave).toEqual(googleMeet.pageRules.controls.leave)
  expect(pageRules.sentences.denied).toEqual(googleMeet.pageRules.sentences.denied)
})

test.each<[string, JsonObject, string]>([
  ['an unknown part', { sentence: {} }, 'the file must NOT have additional properties (sentence)'],
  ['a wrong type', { never: 'Present' }, 'never must be array'],
  ['an empty signal', { controls: { join: [{}] } }, 'controls.join.0 must NOT have fewer than 1 properties'],
  [
    'an unknown screen',
    { screens: { door: [{ screen: 'lobby', when: { empty: true } }] } },
    'screens.door.0.screen must be equal to one of',
  ],
  [
    'two conditions at once',
    { screens: { call: [{ screen: 'left', when: { empty: true, people: true } }] } },
    'screens.call.0.when must NOT have more',
  ],
  ['an unknown control', { notices: { door: ['okay'] } }, 'door names okay, which is not in controls'],
  [
    'unknown sentences',
    { screens: { call: [{ screen: 'left', when: { not: { sentences: ['bye'] } } }] } },
    'screens.call.0 names bye, which is not in sentences',
  ],
])('names the place of %s', (_label, given, sentence) => {
  const { pageRules, problems } = replacePageRules(googleMeet.pageRules, given)
  expect(problems[0]).toContain(sentence)
  expect(pageRules).toBe(googleMeet.pageRules)
})
