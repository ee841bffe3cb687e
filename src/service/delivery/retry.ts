// Decides when a delivery is retried, and when it has failed.
import type { Attempt, ClaimedDelivery, Outcome } from '../db/delivery/deliveries.ts'

const SECOND = 1
const MINUTE = 60
const HOUR = 3_600
const DAY_MS = 24 * 60 * 60_000

/** Pauses after the first, second, … attempt: ten attempts over about three days. */
const PAUSES_SECONDS = [5 * SECOND, 30 * SECOND, 2 * MINUTE, 10 * MINUTE, HOUR, 3 * HOUR, 8 * HOUR, 20 * HOUR, 36 * HOUR]

/** A delivery that waited this long behind others gets one attempt. Otherwise a dead receiver would be retried for months. */
const OLDEST_RETRIED_MS = 5 * DAY_MS

/** Seconds until the next attempt; null: it was the last. `chance` in [0, 1) is the jitter. */
export function pauseAfter(attempt: number, chance: number): number | null {
  const pause = PAUSES_SECONDS[attempt - 1]
  return pause === undefined ? null : pause * (0.8 + 0.4 * chance)
}

type Tried = Pick<Attempt, 'httpStatus' | 'number' | 'at'> & { readonly isPermanent: boolean }

/** Retries a missing response, and a response outside 2xx only if the endpoint requests it. */
export function outcomeOf(attempt: Tried, delivery: Pick<ClaimedDelivery, 'retriesAnswers' | 'createdAt'>, chance: number): Outcome {
  const { httpStatus, number, at, isPermanent } = attempt
  if (httpStatus !== null && httpStatus >= 200 && httpStatus < 300) return { state: 'delivered' }
  const isFinal = httpStatus === null ? isPermanent : !delivery.retriesAnswers
  const isOld = at.getTime() - delivery.createdAt.getTime() > OLDEST_RETRIED_MS
  const retrySeconds = isFinal || isOld ? null : pauseAfter(number, chance)
  return retrySeconds === null ? { state: 'failed' } : { state: 'queued', retrySeconds }
}
