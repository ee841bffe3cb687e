// Events come within reach as time goes on, or because their user wants bots from now on: each is looked at once.
import { type Connection, plannedAsFar } from '../db/calendars.ts'
import { eventsToPlan } from '../db/calendars-plan.ts'
import type { Db } from '../db/database.ts'
import { HORIZON_MS } from '../fleet/schedule.ts'
import type { CalendarDeps } from './deps.ts'

const AT_ONCE = 200
const BEHIND_MS = 15 * 60_000
const NOTED_EVERY_MS = 60 * 60_000

/** Runs a piece of work that returns the events to plan, and plans them with it. */
export type Run = (write: (tx: Db) => Promise<readonly string[]>) => Promise<void>

export async function planAhead({ db, now }: CalendarDeps, connection: Connection, run: Run): Promise<void> {
  const until = new Date(now().getTime() + HORIZON_MS)
  let before = connection.plannedUntil
  let after = { at: before ?? new Date(now().getTime() - BEHIND_MS), id: '' }
  for (;;) {
    const page = await eventsToPlan(db, connection.id, { after: after.at, afterId: after.id, until, limit: AT_ONCE })
    const last = page.length === AT_ONCE ? page.at(-1) : undefined
    // Nothing came within reach, and it was noted not long ago how far that is.
    if (page.length === 0 && before && until.getTime() - before.getTime() < NOTED_EVERY_MS) return
    // A little before the last: others may start at the same moment, and looking twice does no harm.
    const reached = last ? new Date(last.start.getTime() - 1) : until
    let overtaken = false
    await run(async (tx) => {
      overtaken = !(await plannedAsFar(tx, connection.id, { before, until: reached }))
      return page.map(({ id }) => id)
    })
    if (!last || overtaken) return
    before = reached
    after = { at: last.start, id: last.id }
  }
}
