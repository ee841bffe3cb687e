import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { SDK_ERRORS, verdictOf } from './errors.ts'

const ROW = /^\| (\d+) \| `(\w+)` \| (.+) \|$/gm

test('finds every code with its reason and its message in docs/zoom.md, and no other', () => {
  const text = readFileSync(new URL('../../../../docs/zoom.md', import.meta.url), 'utf8')
  const documented = [...text.matchAll(ROW)].map(([, code, reason, message]) => [Number(code), reason, message])
  expect(documented).toEqual(Object.entries(SDK_ERRORS).map(([code, { reason, message }]) => [Number(code), reason, message]))
})

test('keeps Zoom’s message for a code that is not in the table', () => {
  expect(verdictOf(9999, 'Something new')).toEqual({
    reason: 'JoinRefused',
    message: 'Zoom rejected the join with SDK code 9999: Something new',
    denied: false,
  })
})
