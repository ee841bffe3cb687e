// Drains a node before it stops: waits for its bots to end, then hands the rest over to other nodes.
import { setTimeout as delay } from 'node:timers/promises'
import { monotonicMs } from '../../../kit/monotonic.ts'

const LOOK_EVERY_MS = 250

export type DrainOptions = {
  /** Bots that sit here or are about to. */
  readonly countBots: () => number
  readonly withinMs: number
  /** Makes the remaining bots leave, uploads their recordings and returns them to the queue. */
  readonly handOver: () => Promise<void>
  /** The node stops at once instead. */
  readonly interrupted: AbortSignal
}

/** The caller has made sure that no new bots are claimed. */
export async function drain({ countBots, withinMs, handOver, interrupted }: DrainOptions): Promise<void> {
  const deadlineMs = monotonicMs() + withinMs
  while (countBots() > 0 && monotonicMs() < deadlineMs && !interrupted.aborted) await delay(LOOK_EVERY_MS)
  if (countBots() > 0 && !interrupted.aborted) await handOver()
}
