// Watches whether the database answers, so that it is known at any moment without a query.
import { sql } from 'kysely'
import { startLoop } from '../../kit/loop.ts'
import type { Db } from './database.ts'
import { isOutOfConnections } from './unreachable.ts'

const ASK_EVERY_MS = 500
/** A query that is pending for longer counts as unanswered. A busy machine answers sooner. */
const SILENT_MS = 4_000

export type Reachability = {
  /** True while statements would only time out. */
  isDown(): boolean
  /** Queries now and waits at most this long for the answer. */
  isAnswering(withinMs: number): Promise<boolean>
  stop(): Promise<void>
}

export type ReachabilityOptions = {
  /** Must not share its connections with ordinary statements, which may all hang. */
  readonly urgent: Db
  readonly onDown: (cause: unknown) => void
  readonly onUp: () => void
}

export function watchReachability({ urgent, onDown, onUp }: ReachabilityOptions): Reachability {
  let trouble: unknown = null
  let pending: { readonly since: number; readonly answer: Promise<boolean> } | null = null

  const note = (cause: unknown): void => {
    const before = trouble
    trouble = cause
    if (cause !== null && before === null) onDown(cause)
    if (cause === null && before !== null) onUp()
  }

  /** A connection that broke while idle fails the first query. The second gets a new connection. */
  async function question(): Promise<boolean> {
    const select = () => sql`select 1`.execute(urgent)
    try {
      await select().catch(select)
      note(null)
      return true
    } catch (error) {
      note(error)
      return false
    } finally {
      pending = null
    }
  }

  function ask(): Promise<boolean> {
    pending ??= { since: performance.now(), answer: question() }
    return pending.answer
  }

  const loop = startLoop({ work: () => ask().then(() => ASK_EVERY_MS), onError: onDown, retryMs: ASK_EVERY_MS })
  return {
    // A server without a free connection for this query still serves the open ones.
    isDown: () => (trouble !== null && !isOutOfConnections(trouble)) || (pending !== null && performance.now() - pending.since > SILENT_MS),
    isAnswering: (withinMs) => Promise.race([ask(), falseAfter(withinMs)]),
    stop: () => loop.stop(),
  }
}

function falseAfter(ms: number): Promise<false> {
  return new Promise((resolve) => setTimeout(resolve, ms, false).unref())
}
