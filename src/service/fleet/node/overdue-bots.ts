// Bots that have waited too long for a seat. A bot may be overdue before any node could claim it: after an outage of the database, or when it was
// lost with its node long before its lease could be ended. So it ends only if looks find it without a seat for a while.
import type { BotId } from '../../../domain/bot.ts'
import { monotonicMs } from '../../../kit/monotonic.ts'
import type { Overdue } from '../../db/fleet/claims.ts'

/** Nodes claim a bot sooner than this if they have a seat. */
const CLAIMED_WITHIN_MS = 30_000
/** A bot that is found again later was claimed meanwhile, or the database was away. A failed launch is repeated sooner. */
const MISSED_AFTER_MS = 12_000

type Found = { readonly sinceMs: number; readonly lastMs: number }

export class OverdueBots {
  readonly #nowMs: () => number
  readonly #found = new Map<BotId, Found>()

  constructor(nowMs = monotonicMs) {
    this.#nowMs = nowMs
  }

  /** Of the bots that a look has found, those that end. No bot waits here for longer than it may wait in all. */
  observe(found: readonly Overdue[], seatWaitMs: number): readonly Overdue[] {
    const nowMs = this.#nowMs()
    for (const [id, { lastMs }] of this.#found) if (nowMs - lastMs > MISSED_AFTER_MS) this.#found.delete(id)
    return found.filter(({ id }) => {
      const sinceMs = this.#found.get(id)?.sinceMs ?? nowMs
      this.#found.set(id, { sinceMs, lastMs: nowMs })
      return nowMs - sinceMs >= Math.min(CLAIMED_WITHIN_MS, seatWaitMs)
    })
  }
}
