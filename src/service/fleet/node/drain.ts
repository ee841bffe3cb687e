// Drains a node before it stops: waits for its bots to end, then hands the rest over to other nodes, with a successor in the meeting where it can.
import { setTimeout as delay } from 'node:timers/promises'
import { monotonicMs } from '../../../kit/monotonic.ts'
import type { RunningBots } from './running-bots.ts'

const LOOK_EVERY_MS = 250
/** A join with some patience in a lobby. Bots are handed over one at a time, and the last one should be by the end. */
const BY_SUCCESSOR_MS = 20_000

export type DrainOptions = {
  /** Bots that sit here or are about to. */
  readonly countBots: () => number
  readonly withinMs: number
  readonly bots: Pick<RunningBots, 'handOverInTurn' | 'handOver'>
  /** The node stops at once instead. */
  readonly interrupted: AbortSignal
}

/** The caller has made sure that no new bots are claimed. */
export async function drain({ countBots, withinMs, bots, interrupted }: DrainOptions): Promise<void> {
  const deadlineMs = monotonicMs() + withinMs
  const hasBots = (): boolean => countBots() > 0 && !interrupted.aborted
  const inTurnFromMs = (): number => deadlineMs - Math.min(withinMs / 2, countBots() * BY_SUCCESSOR_MS)
  while (hasBots() && monotonicMs() < inTurnFromMs()) await delay(LOOK_EVERY_MS)
  if (hasBots()) await bots.handOverInTurn({ untilMs: deadlineMs, interrupted })
  while (hasBots() && monotonicMs() < deadlineMs) await delay(LOOK_EVERY_MS)
  if (hasBots()) await bots.handOver()
}
