import { expect, test } from 'vitest'
import { parseDay, parseInstant } from './instant.ts'

test.each([
  ['2026-12-01T09:00:00Z', '2026-12-01T09:00:00.000Z'],
  ['2026-12-01T09:00:00+01:00', '2026-12-01T08:00:00.000Z'],
  ['2026-12-01T09:00:00+0530', '2026-12-01T03:30:00.000Z'],
  ['2026-12-01T09:00Z', '2026-12-01T09:00:00.000Z'],
  ['2026-12-01T09:00:00.123456Z', '2026-12-01T09:00:00.123Z'],
  ['2026-12-01t09:00:00z', '2026-12-01T09:00:00.000Z'],
])('accepts the time %s', (text, iso) => {
  expect(parseInstant(text, { offset: 'required' })?.toISOString()).toBe(iso)
})

test.each([
  '',
  'tomorrow',
  '2026-12-01',
  '2026-02-30T09:00:00Z',
  '2026-13-01T09:00:00Z',
  '2026-12-01T25:00:00Z',
  '2026-12-01 09:00:00Z',
  '1764579600',
  '2026-12-01T09:00:00+99:99',
])('rejects the time %j', (text) => {
  expect(parseInstant(text, { offset: 'optional' })).toBeNull()
})

test('reads a time without an offset as UTC, unless an offset is required', () => {
  expect(parseInstant('2026-12-01T09:00:00', { offset: 'optional' })?.toISOString()).toBe('2026-12-01T09:00:00.000Z')
  expect(parseInstant('2026-12-01T09:00:00', { offset: 'required' })).toBeNull()
})

test('rejects a day that does not exist', () => {
  expect(parseDay('2026-11-15')?.toISOString()).toBe('2026-11-15T00:00:00.000Z')
  for (const text of ['2026-02-29', '2026-1-1', '15.11.2026', '2026-11-15T00:00:00Z', '0000-00-00']) expect(parseDay(text)).toBeNull()
})
