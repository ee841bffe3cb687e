// Waits for a condition instead of sleeping: asks again until it holds, and says what was missing when it never did.
import { setTimeout as delay } from 'node:timers/promises'

/** Often at first, and then the more seldom the longer it takes: most questions cost the service, which has other things to do. */
const SOON_MS = 10
const LATEST_MS = 100
const SHARE_OF_WAIT = 0.05

/** The first truthy answer of `probe`. A probe that throws counts as "not yet". */
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
  throw new Error(`Waited ${deadlineMs} ms in vain until ${what}.`, { cause: lastError })
}
