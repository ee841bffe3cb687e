// Syncs due connections, a few side by side, and a single one at once on request.
import type { ConnectionId } from '../../domain/bot.ts'
import { startDueWork } from '../../kit/due-work.ts'
import type { Loop } from '../../kit/loop.ts'
import { type Connection, claimSync, claimSyncs, nextSync } from '../db/calendar/connections.ts'
import { LEASES } from '../leases.ts'
import type { CalendarDeps } from './deps.ts'
import { SupersededError } from './mirror.ts'
import { ProviderError } from './provider.ts'
import { type SyncReport, syncConnection } from './sync-connection.ts'

/** Few enough to leave the API its share of the database. */
const AT_ONCE = 4
/** Other nodes make connections due without a signal to this one. */
const LONGEST_PAUSE_MS = 2_000
const SHORTEST_PAUSE_MS = 50

export type CalendarSyncs = ReturnType<typeof startCalendarSyncs>

type Requested = { readonly running: Promise<SyncReport | null>; next: Promise<SyncReport | null> | null }

/** `syncsDue` false: only requested syncs run here, and another process runs those that are due. */
export function startCalendarSyncs(deps: CalendarDeps, syncsDue = true) {
  const requested = new Map<ConnectionId, Requested>()
  const inProgress = new Set<Promise<unknown>>()

  const loop = syncsDue ? startDueSyncs(deps, inProgress) : null

  async function claimAndSync(id: ConnectionId): Promise<SyncReport | null> {
    const connection = await claimSync(deps.db, id, LEASES.calendarSync.seconds)
    if (!connection) return null
    return syncConnection(deps, connection).catch((error: unknown) => {
      // A sync that began later reads at least as much.
      if (error instanceof SupersededError) return null
      throw error
    })
  }

  /**
   * Starts a new sync, because one in progress may have missed the caller's change. All requests that arrive during a sync share the next
   * one. Null: not connected.
   */
  function syncNow(id: ConnectionId): Promise<SyncReport | null> {
    const known = requested.get(id)
    if (known) {
      known.next ??= known.running.catch(() => null).then(() => begin(id))
      return known.next
    }
    return begin(id)
  }

  function begin(id: ConnectionId): Promise<SyncReport | null> {
    const entry: Requested = { running: claimAndSync(id), next: null }
    requested.set(id, entry)
    const ended = entry.running
      .catch(() => null)
      .finally(() => {
        inProgress.delete(ended)
        if (requested.get(id) === entry && !entry.next) requested.delete(id)
      })
    inProgress.add(ended)
    return entry.running
  }

  return {
    syncNow,
    wake: () => loop?.wake(),
    async stop(): Promise<void> {
      await loop?.stop()
      await Promise.all(inProgress)
    },
  }
}

/** Requested syncs that are in progress count towards the limit. */
function startDueSyncs(deps: CalendarDeps, requested: ReadonlySet<unknown>): Loop {
  return startDueWork({
    atOnce: AT_ONCE,
    lookEveryMs: LONGEST_PAUSE_MS,
    async claim(room) {
      const limit = room - requested.size
      // Without the service's own address, links to its rooms cannot be recognised.
      return limit > 0 && deps.publicUrl() !== '' ? claimSyncs(deps.db, { limit, leaseSeconds: LEASES.calendarSync.seconds }) : []
    },
    workAt: (connection) => syncConnection(deps, connection).then(undefined, (error: unknown) => logFailure(deps, connection, error)),
    async untilNextMs() {
      if (requested.size >= AT_ONCE) return LONGEST_PAUSE_MS
      const next = await nextSync(deps.db)
      return next ? Math.max(SHORTEST_PAUSE_MS, next.getTime() - deps.now().getTime()) : LONGEST_PAUSE_MS
    },
    onError: (error) => deps.log.error({ err: error }, 'calendar sync failed'),
  })
}

/** The user sees a provider's failure on the connection. The log has failures that may be the fault of this service. */
function logFailure({ log }: CalendarDeps, { id, provider }: Connection, error: unknown): void {
  if (error instanceof SupersededError) return
  if (error instanceof ProviderError) log.info({ connectionId: id, provider, fault: error.fault }, 'calendar provider failed')
  else log.error({ err: error, connectionId: id, provider }, 'calendar sync failed')
}
