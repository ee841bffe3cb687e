// Whether the database answers, known at any moment without waiting for it.
import { sql } from 'kysely'
import { startLoop } from '../../kit/loop.ts'
import type { Db } from './database.ts'
import { isCrowded } from './unreachable.ts'

const ASK_EVERY_MS = 500
/** A question that is pending for longer counts as not answered. A machine that is merely busy answers sooner. */
const SILENT_MS = 4_000

export type Reachability = {
  /** True while statements would only wait in vain. */
  isDown(): boolean
  /** Asks now, and does not wait longer than this for the answer. */
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

  /** A connection that broke while it was idle may fail the first question: the second one gets a new connection. */
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
    // A server that has no connection to spare for the question still serves those that are open.
    isDown: () => (trouble !== null && !isCrowded(trouble)) || (pending !== null && performance.now() - pending.since > SILENT_MS),
    isAnswering: (withinMs) => Promise.race([ask(), falseAfter(withinMs)]),
    stop: () => loop.stop(),
  }
}

function falseAfter(ms: number): Promise<false> {
  return new Promise((resolve) => setTimeout(resolve, ms, false).unref())
}
