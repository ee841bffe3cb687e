// Planned hand-overs of bots: another node joins the meeting beside the holder under a claim of its own, which becomes the bot's when it is in.
import { sql } from 'kysely'
import { PRESENT } from '../../../domain/lifecycle.ts'
import type { Platform } from '../../../domain/platforms.ts'
import type { Db } from '../database.ts'
import { firstRow, rowsOf } from '../query.ts'
import { type Claim, DUE_BOT, type DueBot } from './claims.ts'
import type { NodeAddress } from './nodes.ts'

/** A bot that is lost meanwhile is claimed under the next fences. The one of the successor must be none of them. */
const FENCES_AHEAD = 1_000

/** The platforms that let a guest in twice. */
const PLATFORMS: readonly Platform[] = ['room', 'google_meet', 'teams']

export type SuccessionOrder = { readonly claim: Claim; readonly nodeId: string; readonly withinSeconds: number }

/**
 * Begins the succession of a bot that is held under this claim. Null: it is not in its meeting any more, it has an account, which may be in a
 * meeting only once, or another node succeeds already.
 */
export async function beginSuccession(db: Db, { claim, nodeId, withinSeconds }: SuccessionOrder): Promise<DueBot | null> {
  return firstRow<DueBot>(db)`
    with begun as (
      insert into successions (bot_id, node_id, fence, ends_at)
      select id, ${nodeId}, fence + ${FENCES_AHEAD}, now() + make_interval(secs => ${withinSeconds}) from bots
      where id = ${claim.botId} and fence = ${claim.fence} and node_id is not null and node_id <> ${nodeId} and launch_at is not null
        and status = any(${[...PRESENT]}) and platform = any(${PLATFORMS}) and login_id is null and lost_at is null
      on conflict (bot_id) do update set node_id = excluded.node_id, fence = excluded.fence, ends_at = excluded.ends_at
        where successions.ends_at <= now()
      returning bot_id, fence
    )
    select ${DUE_BOT}, begun.fence, now() as "dueAt", jsonb_build_object('namesakes', coalesce(
      (select jsonb_agg(it.id) from participants as it where it.bot_id = bots.id and it.left_at is null and trim(it.name) = trim(spec ->> 'name')),
      '[]')) as beside
    from begun join bots on bots.id = begun.bot_id`
}

export type PauseState = Pick<DueBot, 'isPaused' | 'pauseChangedAt'>

/** The successor is in the meeting: its claim is the bot's newest from now on. Null: the bot was claimed otherwise, or has ended. */
export function takeOver(tx: Db, { botId, fence }: Claim, leaseSeconds: number): Promise<PauseState | null> {
  return firstRow<PauseState>(tx)`
    with taken as (delete from successions where bot_id = ${botId} and fence = ${fence} returning node_id)
    update bots set fence = ${fence}, node_id = taken.node_id, recorded_by = taken.node_id, launch_at = now() + make_interval(secs => ${leaseSeconds})
    from taken where id = ${botId} and fence = ${fence - FENCES_AHEAD} and launch_at is not null
    returning is_paused as "isPaused", pause_changed_at as "pauseChangedAt"`
}

/** The successor is not in the meeting, and will not be. */
export async function endSuccession(db: Db, { botId, fence }: Claim): Promise<void> {
  await sql`delete from successions where bot_id = ${botId} and fence = ${fence}`.execute(db)
}

/** `taken`: the claim is not the bot's newest any more. `over`: it is, and no other node is about to succeed. */
export async function successionOf(db: Db, { botId, fence }: Claim): Promise<'pending' | 'taken' | 'over'> {
  const row = await firstRow<{ isHeld: boolean; isPending: boolean }>(db)`
    select bots.fence = ${fence} and launch_at is not null as "isHeld", coalesce(ends_at > now(), false) as "isPending"
    from bots left join successions on bot_id = bots.id where bots.id = ${botId}`
  if (!row?.isHeld) return 'taken'
  return row.isPending ? 'pending' : 'over'
}

/** Each is asked in turn, and one that does not answer takes its time. */
const MOST_ASKED = 5

/** The nodes that may succeed: those with a free seat that do not drain, the youngest first, because older ones may be about to drain too. */
export function successors(db: Db, nodeId: string): Promise<NodeAddress[]> {
  return rowsOf<NodeAddress>(db)`
    select id, address, key from nodes
    where id <> ${nodeId} and alive_until > now() and 'fleet' = any(roles) and not draining and free_seats > 0
    order by started_at desc, id limit ${MOST_ASKED}`
}
