// Absences of bots from their meetings, with their reasons.
import { sql } from 'kysely'
import { type Absence, LOSS_WINDOW_SECONDS, LOSSES, type LossReason, type RecentLosses } from '../../../domain/absences.ts'
import type { BotId } from '../../../domain/bot.ts'
import type { Status } from '../../../domain/lifecycle.ts'
import type { Db } from '../database.ts'
import { firstRow, onlyRow, rowsOf } from '../query.ts'
import type { Claim } from './claims.ts'
import { SOON } from './node-leases.ts'

export type NewLoss = { readonly from: Date; readonly reason: LossReason }

/** Writes a lost session. An absence that is open ends where the new one begins. */
export async function insertLoss(tx: Db, bot: BotId, { from, reason }: NewLoss): Promise<RecentLosses> {
  await endAbsence(tx, bot, from)
  await sql`insert into absences (bot_id, from_at, reason, counts) values (${bot}, ${from}, ${reason}, ${LOSSES[reason].counts})
    on conflict (bot_id, from_at) do nothing`.execute(tx)
  return onlyRow<RecentLosses>(tx)`
    select count(*)::int as all, count(*) filter (where counts)::int as counted from absences
    where bot_id = ${bot} and from_at > ${from}::timestamptz - make_interval(secs => ${LOSS_WINDOW_SECONDS})`
}

/** Ends an open absence: the bot has a session again, or will never have one again. */
export async function endAbsence(tx: Db, bot: BotId, at: Date): Promise<void> {
  await sql`update absences set to_at = greatest(from_at, ${at}::timestamptz) where bot_id = ${bot} and to_at is null`.execute(tx)
}

export type LostBot = { readonly status: Status; readonly message: string; readonly inMeetingAt: Date | null }

/**
 * Locks a bot that is held under this claim. Null: it has ended, waits for a seat, or was claimed again. `onlyIfLapsed`: null also if the claim
 * was renewed meanwhile, or if the bot is locked.
 */
export function lockHeld(tx: Db, { botId, fence }: Claim, { onlyIfLapsed }: { onlyIfLapsed: boolean }): Promise<LostBot | null> {
  const lock = onlyIfLapsed ? sql`and launch_at <= now() for update skip locked` : sql`for update`
  return firstRow<LostBot>(tx)`select status, message, in_meeting_at as "inMeetingAt" from bots
    where id = ${botId} and fence = ${fence} and node_id is not null and launch_at is not null ${lock}`
}

/** The session is lost: the bot waits for a seat. */
export async function writeLoss(tx: Db, bot: BotId, { message, from }: { readonly message: string; readonly from: Date }): Promise<void> {
  await sql`update bots set node_id = null, launch_at = now(), lost_at = coalesce(lost_at, ${from}), message = ${message}
    where id = ${bot}`.execute(tx)
}

/** The bot is in its meeting. Returns since when it was away; null: it was not, or had never been in the meeting. */
export async function writeReturn(tx: Db, { botId, fence }: Claim, { message, at }: { message: string; at: Date }): Promise<Date | null> {
  const returned = await firstRow<{ lostAt: Date; hadEntered: boolean }>(tx)`
    with lost as (select id, lost_at from bots where id = ${botId} and fence = ${fence} and lost_at is not null for no key update)
    update bots set lost_at = null, message = case when in_meeting_at is null then message else ${message} end
    from lost where bots.id = lost.id returning lost.lost_at as "lostAt", in_meeting_at is not null as "hadEntered"`
  if (returned) await endAbsence(tx, botId, at)
  return returned?.hadEntered ? returned.lostAt : null
}

/** Absences from the meeting, oldest first. Sessions lost before the bot first entered do not count. */
export function listAbsences(db: Db, bot: BotId): Promise<Absence[]> {
  return rowsOf<Absence>(db)`
    select from_at as "from", to_at as "to", reason from absences join bots on bots.id = absences.bot_id
    where bot_id = ${bot} and (to_at is null or to_at > in_meeting_at) and in_meeting_at is not null order by from_at`
}

const UNWRITTEN: LossReason = 'DatabaseUnreachable'

/**
 * For a read-only database, in which no loss can be written: a bot whose lease has lapsed is absent, because its worker leaves by its own clock.
 * Empty: its lease lasts, it may stay without a database, or it is not in a meeting.
 */
export function listUnwrittenAbsences(db: Db, bot: BotId, leaseSeconds: number): Promise<Absence[]> {
  return rowsOf<Absence>(db)`
    select lapses_at - make_interval(secs => ${leaseSeconds}) as "from", null as "to", ${UNWRITTEN}::text as reason
    from bots left join nodes on nodes.id = node_id cross join lateral (
      -- The lease of its node, or its own.
      select case when launch_at > holds_until + ${SOON} then holds_until else launch_at end as lapses_at
    ) as lease
    where bots.id = ${bot} and in_meeting_at is not null and node_id is not null and launch_at is not null
      and lapses_at + case when knows is null then interval '0' else make_interval(secs => outage_seconds) end <= now()`
}
