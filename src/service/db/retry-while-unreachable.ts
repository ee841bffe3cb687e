// Retries work through a short outage of the database.
import { retry } from '../../kit/retry.ts'
import { isUnreachable } from './unreachable.ts'

const EVERY_HALF_SECOND = { attempts: Number.POSITIVE_INFINITY, firstMs: 500, longestMs: 500 }

/** Repeats the work while the database does not answer, for up to `forMs` or until the signal is aborted. The work must be idempotent, because an answer can be lost. */
export function retryWhileUnreachable<Result>(work: () => Promise<Result>, forMs: number, signal?: AbortSignal): Promise<Result> {
  const deadline = performance.now() + forMs
  const again = (error: unknown) => isUnreachable(error) && performance.now() <= deadline
  return retry(EVERY_HALF_SECOND, work, { again, random: () => 1, ...(signal && { signal }) })
}
