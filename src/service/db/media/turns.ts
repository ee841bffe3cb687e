// The order in which work after the call is claimed. Workspaces take turns. Of one workspace, the work that has waited longest in proportion to
// its length comes first: short before long, and long work before short work that is much newer.
import { type RawBuilder, sql } from 'kysely'

/** `mostSeconds`: claims only work that is estimated at no more CPU time; null: any. */
export type WorkClaim = { readonly leaseSeconds: number; readonly mostSeconds: number | null }

type Queue = 'recordings' | 'transcriptions'
type Expression = RawBuilder<unknown>

/** Starting the programs. */
const LEAST_SECONDS = 1

/** The clauses of a claim, in a statement that reads `bots`. Its next row is `due`, with `workspace_id`. */
export function turnsIn(queue: Queue, { secondsPerMinute, since }: { readonly secondsPerMinute: Expression; readonly since: Expression }) {
  const minutes = sql`coalesce(extract(epoch from bots.ended_at - bots.in_meeting_at), 0) / 60`
  return {
    /** Adds `work.seconds`, an estimate. */
    from: sql`left join media_turns as turn on turn.queue = ${queue} and turn.workspace_id = bots.workspace_id
      cross join lateral (select (${LEAST_SECONDS}::float8 + ${minutes} * ${secondsPerMinute})::float8 as seconds) as work`,
    isWithin: (mostSeconds: number | null) => sql`(${mostSeconds}::float8 is null or work.seconds <= ${mostSeconds}::float8)`,
    order: sql`turn.taken_at nulls first, (now() - ${since}) / work.seconds desc`,
    take: sql`insert into media_turns (queue, workspace_id, taken_at) select ${queue}, workspace_id, clock_timestamp() from due
      on conflict (queue, workspace_id) do update set taken_at = excluded.taken_at`,
  }
}
