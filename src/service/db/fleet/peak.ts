// The next moment at which more scheduled bots are due than can join at once.
import type { Db } from '../database.ts'
import { rowsOf } from '../query.ts'

export type JoinRounds = {
  /** How many bots all nodes together let join at once. */
  readonly places: number
  /** How long each of them takes a place. */
  readonly joinMs: number
  /** The longest time by which a bot may begin earlier. */
  readonly mostMs: number
}

/** Both from now, by the clock of the database. The bots that are due by then must begin by then, so that the last of them begins in time. */
export type Peak = { readonly beginsInMs: number; readonly dueInMs: number }

/** Null: all bots of the next time have a place when they are due. A bot that returned to the queue has its time as a delay, and does not count. */
export async function nextPeak(db: Db, { places, joinMs, mostMs }: JoinRounds): Promise<Peak | null> {
  const rounds = Math.floor(mostMs / joinMs)
  const [row] = await rowsOf<Peak>(db)`
    select "dueInMs" - "leadMs" as "beginsInMs", "dueInMs" from (
      select extract(epoch from launch_at - now())::float8 * 1000 as "dueInMs",
        least((row_number() over (order by launch_at) - 1) / ${places}::int, ${rounds}::int) * ${joinMs}::float8 as "leadMs"
      from (select launch_at from bots where node_id is null and launch_at > now() and launch_at <= now() + make_interval(secs => ${(2 * mostMs) / 1000})
        and recorded_by is null order by launch_at limit ${places * (rounds + 1)}) as due
    ) as queue where "leadMs" > 0 order by "beginsInMs" limit 1`
  return row ?? null
}
