// Syncs connections when they are due, a few side by side, and at once when somebody asks.
import type { ConnectionId } from '../../domain/bot.ts'
import { startLoop } from '../../kit/loop.ts'
import { type Connection, claimSync, claimSyncs, nextSync } from '../db/calendars.ts'
import type { CalendarDeps } from './deps.ts'
import { LEASE_SECONDS, SupersededError } from './mirror.ts'
import { ProviderError } from './provider.ts'
import { type SyncReport, syncConnection } from './sync.ts'

/** Few enough to leave the API its share of the database. */
const AT_ONCE = 4
/** Other nodes may make a connection due without telling us. */
const LONGEST_PAUSE_MS = 2_000
const SHORTEST_PAUSE_MS = 50

export type Syncer = {
  /** A sync that begins now or later: one that is under way may have missed what the caller knows of. Null: not connected. */
  syncNow(id: ConnectionId): Promise<SyncReport | null>
  wake(): void
  stop(): Promise<void>
}

type Asked = { running: Promise<SyncReport | null>; next: Promise<SyncReport | null> | null }

export function startSyncer(deps: CalendarDeps): Syncer {
  const underWay = new Set<Promise<unknown>>()
  const asked = new Map<ConnectionId, Asked>()

  async function work(): Promise<number> {
    const limit = AT_ONCE - underWay.size
    // Until this service knows its own address, its rooms could not be told from other links.
    if (limit <= 0 || deps.publicUrl() === '') return limit <= 0 ? LONGEST_PAUSE_MS : SHORTEST_PAUSE_MS
    const claimed = await claimSyncs(deps.db, { limit, leaseSeconds: LEASE_SECONDS })
    for (const connection of claimed) {
      const sync = syncConnection(deps, connection)
        .catch((error: unknown) => tell(deps, connection, error))
        .finally(() => {
          underWay.delete(sync)
          loop.wake()
        })
      underWay.add(sync)
    }
    if (claimed.length === limit) return LONGEST_PAUSE_MS
    const next = await nextSync(deps.db)
    return Math.min(next ? Math.max(SHORTEST_PAUSE_MS, next.getTime() - deps.now().getTime()) : LONGEST_PAUSE_MS, LONGEST_PAUSE_MS)
  }

  async function claimAndSync(id: ConnectionId): Promise<SyncReport | null> {
    const connection = await claimSync(deps.db, id, LEASE_SECONDS)
    if (!connection) return null
    return syncConnection(deps, connection).catch((error: unknown) => {
      // Somebody began after us, and so knows no less.
      if (error instanceof SupersededError) return null
      throw error
    })
  }

  /** However many ask while one runs, one more is enough for all of them. */
  function syncNow(id: ConnectionId): Promise<SyncReport | null> {
    const known = asked.get(id)
    if (known) {
      known.next ??= known.running.catch(() => null).then(() => begin(id))
      return known.next
    }
    return begin(id)
  }

  function begin(id: ConnectionId): Promise<SyncReport | null> {
    const entry: Asked = { running: claimAndSync(id), next: null }
    asked.set(id, entry)
    const ended = entry.running
      .catch(() => null)
      .finally(() => {
        underWay.delete(ended)
        if (asked.get(id) === entry && !entry.next) asked.delete(id)
      })
    underWay.add(ended)
    return entry.running
  }

  const loop = startLoop({ work, onError: (error) => deps.log.error({ err: error }, 'calendar sync failed'), retryMs: 1_000 })
  return {
    syncNow,
    wake: () => loop.wake(),
    async stop() {
      await loop.stop()
      await Promise.all(underWay)
    },
  }
}

/** A provider that fails is noted on the connection, where its user sees it; the log keeps what may be our fault. */
function tell({ log }: CalendarDeps, { id, provider }: Connection, error: unknown): void {
  if (error instanceof SupersededError) return
  if (error instanceof ProviderError) log.info({ connectionId: id, provider, fault: error.fault }, 'calendar provider failed')
  else log.error({ err: error, connectionId: id, provider }, 'calendar sync failed')
}
