// One connection pool per origin, destroyed when the origin has been idle for a while.
import { Pool } from 'undici'

export type Pools = ReturnType<typeof createPools>

type Entry = { readonly pool: Pool; users: number; idle: NodeJS.Timeout | undefined }

/**
 * Undici's Agent has pools too. It removes an unused pool only when a connection closes, and counts an aborted connection as busy:
 * an origin that ever hung would keep its pool for ever. (Seen in 8.12.)
 */
export function createPools(options: Pool.Options, idleMs: number) {
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
    /** Keeps the origin's pool open until the work settles. */
    use<Result>(origin: string, work: (pool: Pool) => Promise<Result>): Promise<Result> {
      if (closed) return Promise.reject(new Error('The HTTP client is closed.'))
      const lent = lend(origin, work).finally(() => underWay.delete(lent))
      underWay.add(lent)
      return lent
    },
    size: () => entries.size,
    /** Waits for the work in progress. */
    async close(): Promise<void> {
      closed = true
      await Promise.allSettled(underWay)
      await Promise.all(Array.from(entries, ([origin, entry]) => forget(origin, entry)))
    },
  }
}
