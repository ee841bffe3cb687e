import { expect, test } from 'vitest'
import { newId } from './id.ts'

test('makes unique ids with a prefix that sort by time', () => {
  const early = newId('bot', new Date('2026-11-15T09:00:00.000Z'))
  const late = newId('bot', new Date('2026-11-15T09:00:00.001Z'))
  expect(early).toMatch(/^bot_[0-9a-hjkmnp-tv-z]{26}$/)
  expect(early < late).toBe(true)
  const now = new Date()
  expect(new Set(Array.from({ length: 10_000 }, () => newId('x', now))).size).toBe(10_000)
})
