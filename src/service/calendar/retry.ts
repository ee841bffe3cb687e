// Retries requests to a provider that is busy or down: a few times with exponential backoff, honouring Retry-After.
import { setTimeout as pause } from 'node:timers/promises'
import { ProviderError } from './provider.ts'

const MOST_TRIES = 4
const FIRST_PAUSE_MS = 400
/** A longer Retry-After is left to the next sync. */
const LONGEST_PAUSE_MS = 8_000

export async function withRetries<Result>(ask: () => Promise<Result>, random: () => number): Promise<Result> {
  for (let number = 1; ; number += 1) {
    try {
      return await ask()
    } catch (error) {
      const pauseMs = number < MOST_TRIES ? pauseAfter(error, number, random()) : null
      if (pauseMs === null) throw error
      await pause(pauseMs)
    }
  }
}

/** Null: a retry would not help, or not soon. */
function pauseAfter(error: unknown, number: number, chance: number): number | null {
  if (!(error instanceof ProviderError) || (error.fault !== 'busy' && error.fault !== 'down')) return null
  const growing = FIRST_PAUSE_MS * 2 ** (number - 1) * (0.5 + chance)
  const pauseMs = Math.max(growing, (error.retryAfterSeconds ?? 0) * 1000)
  return pauseMs <= LONGEST_PAUSE_MS ? pauseMs : null
}
