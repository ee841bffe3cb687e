// Replacing rows of Google Meet's tables by those of the operator.
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import type { JsonObject } from '../../../domain/bot.ts'
import { factsOf } from '../web-client/facts.ts'
import { replaceTables } from '../web-client/replace-tables.ts'
import { screenOf } from '../web-client/screens.ts'
import { TABLES } from './client.ts'

const lobby = factsOf({ text: 'Hold on, the host will be with you', visible: ['microphoneOff'] }, 'https://meet.google.com/abc-defg-hij')

test('accepts its own printed tables unchanged', () => {
  const { tables, problems } = replaceTables(TABLES, JSON.parse(JSON.stringify(TABLES)))
  expect(problems).toEqual([])
  expect(tables).toEqual(TABLES)
})

test('accepts the worked example of the documentation', () => {
  const page = readFileSync(new URL('../../../../docs/platform-tables.md', import.meta.url), 'utf8')
  const [, example = ''] = /```json\n([\s\S]*?)```/.exec(page) ?? []
  const { tables, problems } = replaceTables(TABLES, JSON.parse(example))
  expect(problems).toEqual([])
  expect(tables.controls.join[0]?.says).toContain('Request entry')
})

test('replaces the given rows and keeps all others', () => {
  const given = {
    $schema: 'x',
    sentences: { waiting: { says: ['the host will be with you'] } },
    controls: { join: [{ says: ['Come in'] }] },
  }
  const { tables, problems } = replaceTables(TABLES, given)
  expect(problems).toEqual([])
  expect(screenOf(lobby, TABLES, 'door')).toBe('unknown')
  expect(screenOf(lobby, tables, 'door')).toBe('waiting')
  expect(tables.controls.join).toEqual([{ says: ['Come in'] }])
  expect(tables.controls.leave).toEqual(TABLES.controls.leave)
  expect(tables.sentences.denied).toEqual(TABLES.sentences.denied)
})

test.each<[string, JsonObject, string]>([
  ['an unknown row', { sentence: {} }, 'the file must NOT have additional properties (sentence)'],
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
  const { tables, problems } = replaceTables(TABLES, given)
  expect(problems[0]).toContain(sentence)
  expect(tables).toBe(TABLES)
})
