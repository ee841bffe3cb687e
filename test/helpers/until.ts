// Waits for a condition instead of sleeping: asks again until it holds, and says what was missing when it never did.
import { setTimeout as delay } from 'node:timers/promises'

const ASK_AGAIN_MS = 10

/** The first truthy answer of `probe`. A probe that throws counts as "not yet". */
export async function until<Answer>(what: string, probe: () => Answer | Promise<Answer>, deadlineMs = 5_000): Promise<NonNullable<Answer>> {
  const deadline = performance.now() + deadlineMs
  let lastError: unknown
  while (performance.now() < deadline) {
    try {
      const answer = await probe()
      if (answer) return answer
      lastError = undefined
    } catch (error) {
      lastError = error
    }
    await delay(ASK_AGAIN_MS)
  }
  throw new Error(`Waited ${deadlineMs} ms in vain until ${what}.`, { cause: lastError })
}
