// The outcome of an attempt: delivered, retried or failed.
import { expect, test } from 'vitest'
import { outcomeOf } from './retry.ts'

const AT = new Date('2026-11-15T09:00:00Z')
const daysAgo = (days: number) => new Date(AT.getTime() - days * 86_400_000)

type Case = { httpStatus: number | null; number?: number; isPermanent?: boolean; retriesAnswers?: boolean; age?: number }

const after = ({ httpStatus, number = 1, isPermanent = false, retriesAnswers = false, age = 0 }: Case) =>
  outcomeOf({ httpStatus, number, at: AT, isPermanent }, { retriesAnswers, createdAt: daysAgo(age) }, 0.5)

test.each<[string, Case, string]>([
  ['accepts any 2xx', { httpStatus: 204 }, 'delivered'],
  ['does not retry a 500', { httpStatus: 500 }, 'failed'],
  ['does not retry a redirect', { httpStatus: 302 }, 'failed'],
  ['retries a 500 if the endpoint requests it', { httpStatus: 500, retriesAnswers: true }, 'queued'],
  ['retries a missing response', { httpStatus: null }, 'queued'],
  ['retries a missing response after the ninth attempt', { httpStatus: null, number: 9 }, 'queued'],
  ['does not retry after the tenth attempt', { httpStatus: null, number: 10 }, 'failed'],
  ['does not retry a permanent failure', { httpStatus: null, isPermanent: true, retriesAnswers: true }, 'failed'],
  ['retries a delivery that is four days old', { httpStatus: null, age: 4 }, 'queued'],
  ['does not retry a delivery older than five days', { httpStatus: null, age: 6 }, 'failed'],
  ['accepts a 2xx for a delivery older than five days', { httpStatus: 200, age: 6 }, 'delivered'],
])('%s', (_, given, state) => {
  expect(after(given).state).toBe(state)
})

test('makes the first retry after five seconds', () => {
  expect(after({ httpStatus: null })).toEqual({ state: 'queued', retrySeconds: 5 })
})
