// The lengths and ages of all queues, in one statement that reads only rows that are due.
import { sql } from 'kysely'
import type { Db } from '../database.ts'
import { onlyRow } from '../query.ts'

type Waiting = { readonly count: number; readonly oldestSeconds: number }

type WorkspaceQueue = { readonly workspace: string; readonly name: string; readonly bots: number; readonly oldestSeconds: number }

export type QueueFigures = {
  readonly nodes: number
  readonly bots: Waiting
  /** The workspaces whose bots have waited the longest, at most 50. */
  readonly workspaces: readonly WorkspaceQueue[]
  readonly deliveries: Waiting & {
    /** How long the next attempt has been due. */
    readonly overdueSeconds: number
  }
  readonly recordings: Waiting
  readonly transcriptions: Waiting
}

const MOST_WORKSPACES = 50
/** Bound the cost of a long queue. */
const MOST_COUNTED = 100_000
const MOST_AGED = 10_000

const since = (moment: string) => sql.raw(`greatest(0, coalesce(extract(epoch from now() - ${moment}), 0))::float8`)
/** The count and the age of rows with a `due` column. */
const waiting = (rows: string) =>
  sql`(select json_build_object('count', count(*), 'oldestSeconds', ${since('min(due)')}) from ${sql.raw(rows)})`

/** A claimed row is due when its lease ends, so `<= now()` finds unclaimed ones only. Bots with a lapsed lease have a node. */
export function readQueueFigures(db: Db): Promise<QueueFigures> {
  return onlyRow<QueueFigures>(db)`
    with bots_waiting as (
      select workspace_id, count(*) as bots, min(launch_at) as due from bots where launch_at <= now() and node_id is null group by workspace_id
    ), longest as (
      select workspace_id, name, bots, due from bots_waiting join workspaces on workspaces.id = workspace_id
      order by due, workspace_id limit ${MOST_WORKSPACES}
    ), next_deliveries as (
      select due_at, created_at from deliveries where state = 'queued' order by due_at, seq limit ${MOST_AGED}
    )
    select (select count(*) from nodes where alive_until > now()) as nodes,
      (select json_build_object('count', coalesce(sum(bots), 0), 'oldestSeconds', ${since('min(due)')}) from bots_waiting) as bots,
      (select coalesce(json_agg(json_build_object('workspace', workspace_id, 'name', name, 'bots', bots, 'oldestSeconds', ${since('due')})
        order by due, workspace_id), '[]') from longest) as workspaces,
      (select json_build_object(
        'count', (select count(*) from (select from deliveries where state = 'queued' limit ${MOST_COUNTED}) as queued),
        'oldestSeconds', ${since('min(created_at)')}, 'overdueSeconds', ${since('min(due_at)')}) from next_deliveries) as deliveries,
      ${waiting('(select process_at as due from bots where process_at <= now()) as recordings')} as recordings,
      ${waiting('(select due_at as due from transcriptions where due_at <= now()) as runs')} as transcriptions`
}
