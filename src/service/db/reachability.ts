// Watches whether the database answers and accepts changes, so that it is known at any moment without a query.
import { setTimeout as delay } from 'node:timers/promises'
import { sql } from 'kysely'
import { startLoop } from '../../kit/loop.ts'
import type { Db } from './database.ts'
import { isOutOfConnections, isReadOnly } from './unreachable.ts'

const ASK_EVERY_MS = 500
/** A query that is pending for longer counts as unanswered. A busy machine answers sooner. */
const SILENT_MS = 4_000
/** A node renews its leases within this time once the database works again. */
const RENEWED_WITHIN_MS = 3_000

export type Reachability = {
  /** True while statements would only time out. False for a read-only database, which can be read. */
  isDown(): boolean
  /** True while the database answers and refuses changes. */
  isReadOnly(): boolean
  /** When the database was last found writable after it was read-only, on `performance.now`'s clock; 0: it never was read-only. */
  writableSinceMs(): number
  /** No lease could be renewed at this time: the database did not answer, or was read-only. */
  wasDown(at: Date): boolean
  /** Queries now, and waits at most this long for the answer. Null: the database works. */
  problem(withinMs: number): Promise<string | null>
  stop(): Promise<void>
}

export type ReachabilityOptions = {
  /** Must not share its connections with ordinary statements, which may all hang. */
  readonly urgent: Db
  readonly onDown: (cause: unknown) => void
  readonly onUp: () => void
}

const NO_ANSWER = 'The database does not answer.'

export function watchReachability({ urgent, onDown, onUp }: ReachabilityOptions): Reachability {
  let trouble: unknown = null
  let pending: { readonly since: number; readonly answer: Promise<string | null> } | null = null
  let writableSinceMs = 0
  let workedAt = Date.now()
  /** The last time without a working database; `to` is null while it lasts. */
  let outage: { readonly from: number; to: number | null } | null = null

  const observe = (cause: unknown): void => {
    const before = trouble
    trouble = cause
    if (cause !== null && before === null) {
      outage = { from: workedAt, to: null }
      onDown(cause)
    }
    if (cause !== null) return
    workedAt = Date.now()
    if (before === null) return
    if (outage) outage.to = workedAt
    if (isReadOnly(before)) writableSinceMs = performance.now()
    onUp()
  }

  /**
   * A connection that broke while idle, or whose session is read-only, fails the first query. The second gets a new connection. The statement
   * locks no row, and a read-only database refuses it.
   */
  async function question(): Promise<string | null> {
    const select = () => sql`select from migrations where false for update`.execute(urgent)
    try {
      await select().catch(select)
      observe(null)
      return null
    } catch (error) {
      observe(error)
      return isReadOnly(error) ? 'The database is read-only.' : NO_ANSWER
    } finally {
      pending = null
    }
  }

  function ask(): Promise<string | null> {
    pending ??= { since: performance.now(), answer: question() }
    return pending.answer
  }

  // A server without a free connection for this query still serves the open ones.
  const isServing = () => isReadOnly(trouble) || isOutOfConnections(trouble)
  const loop = startLoop({ work: () => ask().then(() => ASK_EVERY_MS), onError: onDown, retryMs: ASK_EVERY_MS })
  return {
    isDown: () => (trouble !== null && !isServing()) || (pending !== null && performance.now() - pending.since > SILENT_MS),
    isReadOnly: () => isReadOnly(trouble),
    writableSinceMs: () => writableSinceMs,
    wasDown: (at) =>
      outage !== null && at.getTime() >= outage.from && at.getTime() <= (outage.to ?? Number.POSITIVE_INFINITY) + RENEWED_WITHIN_MS,
    problem: (withinMs) => Promise.race([ask(), delay(withinMs, NO_ANSWER, { ref: false })]),
    stop: () => loop.stop(),
  }
}
