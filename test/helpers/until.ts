// Waits for a condition instead of sleeping, and names the missing condition after the deadline.
import { setTimeout as delay } from 'node:timers/promises'

/** Polls often at first and then less, because each probe costs the service. */
const SOON_MS = 10
const LATEST_MS = 100
const SHARE_OF_WAIT = 0.05

/** The first truthy result of `probe`. A probe that throws counts as "not yet". */
export async function until<Answer>(what: string, probe: () => Answer | Promise<Answer>, deadlineMs = 5_000): Promise<NonNullable<Answer>> {
  const start = performance.now()
  const deadline = start + deadlineMs
  let lastError: unknown
  while (performance.now() < deadline) {
    try {
      const answer = await probe()
      if (answer) return answer
      lastError = undefined
    } catch (error) {
      lastError = error
    }
    await delay(Math.min(LATEST_MS, Math.max(SOON_MS, SHARE_OF_WAIT * (performance.now() - start))))
  }
  throw new Error(`Waited ${deadlineMs} ms without success until ${what}.`, { cause: lastError })
}
