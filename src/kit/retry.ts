// Repeats work that failed, with pauses that grow.
import { setTimeout as delay } from 'node:timers/promises'

/** The pauses are at most `firstMs`, then twice as long each time, up to `longestMs`. */
export type Backoff = { readonly firstMs: number; readonly longestMs: number }

export type Schedule = Backoff & { readonly attempts: number }

type RetryOptions = {
  /** Whether another attempt may succeed. A number asks for a pause of at least so many milliseconds, for example a `Retry-After`. */
  readonly again: (error: unknown) => boolean | number
  readonly random: () => number
  /** An abort ends the pause and rejects with the signal's reason. */
  readonly signal?: AbortSignal
}

/** Rejects with the error of the last attempt, also if it asks for a pause beyond `longestMs`. */
export async function retry<Result>(schedule: Schedule, work: () => Promise<Result>, options: RetryOptions): Promise<Result> {
  const { again, random, signal } = options
  for (let failures = 1; ; failures++) {
    try {
      return await work()
    } catch (error) {
      signal?.throwIfAborted()
      const wanted = failures < schedule.attempts && again(error)
      if (wanted === false || Number(wanted) > schedule.longestMs) throw error
      const leastMs = wanted === true ? 0 : wanted
      await pause(Math.max(leastMs, backoffMs(schedule, failures, random)), signal)
    }
  }
}

/** The pause after so many failures in a row. Half of it is random, so that clients that failed together do not return together. */
export function backoffMs({ firstMs, longestMs }: Backoff, failures: number, random: () => number): number {
  return Math.min(longestMs, firstMs * 2 ** (failures - 1)) * (0.5 + random() / 2)
}

/** An abort rejects with the signal's reason. */
export async function pause(ms: number, signal?: AbortSignal): Promise<void> {
  await delay(ms, undefined, signal && { signal }).catch((error: unknown) => {
    throw signal?.aborted ? signal.reason : error
  })
}

/** Parses `Retry-After`, which is seconds or a date. Null: there is none, or it is invalid. */
export function retryAfterMs(header: string | null, now: Date): number | null {
  if (header === null) return null
  const ms = /^\d+(\.\d+)?$/.test(header.trim()) ? Number(header) * 1000 : Date.parse(header) - now.getTime()
  return Number.isNaN(ms) ? null : Math.max(0, ms)
}
