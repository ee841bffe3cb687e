// Plans events that come within the scheduling horizon as time passes, or after the user enables automatic bots, each once.
import { type Connection, markPlanned } from '../db/calendar/connections.ts'
import { eventsToPlan } from '../db/calendar/plan.ts'
import type { Db } from '../db/database.ts'
import { HORIZON_MS } from '../fleet/bot/schedule.ts'
import type { CalendarDeps } from './deps.ts'

const AT_ONCE = 200
const BEHIND_MS = 15 * 60_000
const NOTED_EVERY_MS = 60 * 60_000

/** Runs work that returns event ids, and plans these events in the same transaction. */
export type Run = (write: (tx: Db) => Promise<readonly string[]>) => Promise<void>

export async function planAhead({ db, now }: CalendarDeps, connection: Connection, run: Run): Promise<void> {
  const until = new Date(now().getTime() + HORIZON_MS)
  let before = connection.plannedUntil
  let after = { at: before ?? new Date(now().getTime() - BEHIND_MS), id: '' }
  for (;;) {
    const page = await eventsToPlan(db, connection.id, { after: after.at, afterId: after.id, until, limit: AT_ONCE })
    const last = page.length === AT_ONCE ? page.at(-1) : undefined
    // No event came within the horizon, and the position was stored recently.
    if (page.length === 0 && before && until.getTime() - before.getTime() < NOTED_EVERY_MS) return
    // Slightly before the last event: others may start at the same time, and planning twice is harmless.
    const reached = last ? new Date(last.start.getTime() - 1) : until
    let overtaken = false
    await run(async (tx) => {
      overtaken = !(await markPlanned(tx, connection.id, { before, until: reached }))
      return page.map(({ id }) => id)
    })
    if (!last || overtaken) return
    before = reached
    after = { at: last.start, id: last.id }
  }
}
