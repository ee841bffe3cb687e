// Claims due work and runs a few pieces side by side. Stopping waits for the pieces in progress.
import { type Loop, startLoop } from './loop.ts'

type DueWork<Piece> = {
  /** The most pieces in progress. */
  readonly atOnce: number
  /** The most pieces of one claim. Default: `atOnce`. */
  readonly batch?: number
  /** The longest pause between two claims, without the spread. */
  readonly lookEveryMs: number
  /** Added to a pause after nothing was due or claimable, so that many nodes do not look at one moment. */
  readonly spreadMs?: () => number
  /** The time until the next piece is due, asked before a claim unless the one before was full. A positive one saves the claim. */
  readonly untilDueMs?: () => Promise<number>
  /** The same after each claim, for work that must start before the next look. */
  readonly untilNextMs?: () => Promise<number>
  /** `running`: the pieces in progress. */
  readonly claim: (limit: number, running: readonly Piece[]) => Promise<readonly Piece[]>
  /** The signal is aborted when the loop stops. */
  readonly workAt: (piece: Piece, stopping: AbortSignal) => Promise<void>
  readonly onError: (error: unknown) => void
}

export function startDueWork<Piece>(due: DueWork<Piece>): Loop {
  const { atOnce, batch = atOnce, lookEveryMs, spreadMs = () => 0, untilDueMs, untilNextMs, claim, workAt, onError } = due
  const stopping = new AbortController()
  const running = new Map<Promise<void>, Piece>()
  let moreIsDue = false

  function begin(piece: Piece): void {
    const done: Promise<void> = workAt(piece, stopping.signal)
      // Without it one piece that rejects would end the process.
      .catch(onError)
      .finally(() => {
        running.delete(done)
        loop.wake()
      })
    running.set(done, piece)
  }

  async function work(): Promise<number> {
    const limit = Math.min(batch, atOnce - running.size)
    if (limit <= 0) return lookEveryMs
    const untilMs = moreIsDue ? 0 : ((await untilDueMs?.()) ?? 0)
    if (untilMs > 0) return Math.min(lookEveryMs, untilMs) + spreadMs()
    const claimed = await claim(limit, [...running.values()])
    for (const piece of claimed) begin(piece)
    // A full claim suggests it. On a busy database one more question would halve the rate of the claims.
    moreIsDue = claimed.length === limit
    return pauseAfter(claimed.length)
  }

  /** A cheap question follows every claim that found something. */
  async function pauseAfter(claimed: number): Promise<number> {
    if (moreIsDue || (untilDueMs && claimed > 0)) return 0
    return (untilNextMs ? Math.min(lookEveryMs, await untilNextMs()) : lookEveryMs) + spreadMs()
  }

  const loop: Loop = startLoop({ work, onError, retryMs: 1_000 })
  return {
    wake: () => loop.wake(),
    async stop() {
      stopping.abort()
      await loop.stop()
      await Promise.all(running.keys())
    },
  }
}
