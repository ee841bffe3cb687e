// Work that is claimed when it is due, a few pieces at a time, each beside the others; whoever stops waits for what is under way.
import { type Loop, startLoop } from './loop.ts'

type DueWork<Piece> = {
  readonly atOnce: number
  readonly lookEveryMs: number
  readonly claim: (limit: number) => Promise<readonly Piece[]>
  /** Settles whatever comes of it. The signal says that we are stopping. */
  readonly workAt: (piece: Piece, stopping: AbortSignal) => Promise<void>
  readonly onError: (error: unknown) => void
}

export function startDueWork<Piece>({ atOnce, lookEveryMs, claim, workAt, onError }: DueWork<Piece>): Loop {
  const stopping = new AbortController()
  const running = new Set<Promise<void>>()
  const loop: Loop = startLoop({
    async work() {
      const limit = atOnce - running.size
      for (const piece of limit > 0 ? await claim(limit) : []) {
        const done: Promise<void> = workAt(piece, stopping.signal)
          // Without it one piece that rejects would end the process.
          .catch(onError)
          .finally(() => {
            running.delete(done)
            loop.wake()
          })
        running.add(done)
      }
      return lookEveryMs
    },
    onError,
    retryMs: 1_000,
  })
  return {
    wake: () => loop.wake(),
    async stop() {
      stopping.abort()
      await loop.stop()
      await Promise.all(running)
    },
  }
}
