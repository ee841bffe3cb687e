// Retries work through a short outage of the database.
import { setTimeout as delay } from 'node:timers/promises'
import { isUnreachable } from './unreachable.ts'

const TRY_AGAIN_MS = 500

/** Repeats the work while the database does not answer, for up to `forMs` or until the signal is aborted. The work must be idempotent, because an answer can be lost. */
export async function retryWhileUnreachable<Result>(work: () => Promise<Result>, forMs: number, signal?: AbortSignal): Promise<Result> {
  const deadline = performance.now() + forMs
  for (;;) {
    try {
      return await work()
    } catch (error) {
      if (!isUnreachable(error) || performance.now() > deadline || signal?.aborted) throw error
    }
    await delay(TRY_AGAIN_MS)
  }
}
