// One pool of connections per origin, and none for an origin that nobody has asked for a while.
import { Pool } from 'undici'

export type Pools = {
  /** Lends the origin's pool for as long as the work lasts. */
  use<Result>(origin: string, work: (pool: Pool) => Promise<Result>): Promise<Result>
  size(): number
  /** Waits for the work under way. */
  close(): Promise<void>
}

type Entry = { readonly pool: Pool; users: number; idle: NodeJS.Timeout | undefined }

/**
 * Undici's Agent keeps pools too, but looks whether one is still needed only when a connection ends, and takes it for busy when it ended by
 * an abort: every origin that ever hung would stay for good. (Seen in 8.12.)
 */
export function createPools(options: Pool.Options, idleMs: number): Pools {
  const entries = new Map<string, Entry>()
  const underWay = new Set<Promise<unknown>>()
  let closed = false

  async function lend<Result>(origin: string, work: (pool: Pool) => Promise<Result>): Promise<Result> {
    const entry = entries.get(origin) ?? { pool: new Pool(origin, options), users: 0, idle: undefined }
    entries.set(origin, entry)
    entry.users += 1
    clearTimeout(entry.idle)
    try {
      return await work(entry.pool)
    } finally {
      entry.users -= 1
      if (entry.users === 0) entry.idle = setTimeout(() => forget(origin, entry), idleMs).unref()
    }
  }

  function forget(origin: string, { pool, idle }: Entry): Promise<void> {
    clearTimeout(idle)
    entries.delete(origin)
    return pool.destroy()
  }

  return {
    use(origin, work) {
      if (closed) return Promise.reject(new Error('outgoing: already closed'))
      const lent = lend(origin, work).finally(() => underWay.delete(lent))
      underWay.add(lent)
      return lent
    },
    size: () => entries.size,
    async close() {
      closed = true
      await Promise.allSettled(underWay)
      await Promise.all(Array.from(entries, ([origin, entry]) => forget(origin, entry)))
    },
  }
}
