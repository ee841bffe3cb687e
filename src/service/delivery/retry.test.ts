// What follows an attempt: received, tried again, or given up.
import { expect, test } from 'vitest'
import { outcomeOf } from './retry.ts'

const AT = new Date('2026-11-15T09:00:00Z')
const daysAgo = (days: number) => new Date(AT.getTime() - days * 86_400_000)

type Case = { httpStatus: number | null; number?: number; isHopeless?: boolean; retriesAnswers?: boolean; age?: number }

const after = ({ httpStatus, number = 1, isHopeless = false, retriesAnswers = false, age = 0 }: Case) =>
  outcomeOf({ httpStatus, number, at: AT, isHopeless }, { retriesAnswers, createdAt: daysAgo(age) }, 0.5)

test.each<[string, Case, string]>([
  ['any 2xx is received', { httpStatus: 204 }, 'delivered'],
  ['a 500 is final', { httpStatus: 500 }, 'failed'],
  ['a redirect is final', { httpStatus: 302 }, 'failed'],
  ['a 500 is tried again where the endpoint wants it', { httpStatus: 500, retriesAnswers: true }, 'queued'],
  ['silence is tried again', { httpStatus: null }, 'queued'],
  ['silence is tried ten times', { httpStatus: null, number: 9 }, 'queued'],
  ['and no more', { httpStatus: null, number: 10 }, 'failed'],
  ['what cannot work is not tried again', { httpStatus: null, isHopeless: true, retriesAnswers: true }, 'failed'],
  ['what is days old is tried again', { httpStatus: null, age: 4 }, 'queued'],
  ['what has waited too long behind others gets one try', { httpStatus: null, age: 6 }, 'failed'],
  ['which may succeed', { httpStatus: 200, age: 6 }, 'delivered'],
])('%s', (_, given, state) => {
  expect(after(given).state).toBe(state)
})

test('the first retry is after five seconds', () => {
  expect(after({ httpStatus: null })).toEqual({ state: 'queued', retrySeconds: 5 })
})
