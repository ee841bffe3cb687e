// Reads of bots, and writes that do not touch their status.
import { sql } from 'kysely'
import type { Bot, BotId, Evidence, JsonObject, LoginId, WorkspaceId } from '../../../domain/bot.ts'
import { RUNNING } from '../../../domain/lifecycle.ts'
import type { PauseChange } from '../../../domain/recording.ts'
import type { Db } from '../database.ts'
import { firstRow, hasRow, idsOf, onlyRow, rowsOf } from '../query.ts'
import { attributeTerms } from './attribute-terms.ts'
import type { Claim } from './claims.ts'

export type BotStatus = Pick<Bot, 'id' | 'workspaceId' | 'status' | 'customAttributes'>

/** The query that clients poll: four columns by primary key, batched. The caller checks the workspace. */
export async function findStatuses(db: Db, ids: readonly string[]): Promise<ReadonlyMap<string, BotStatus>> {
  const rows = await rowsOf<BotStatus>(db)`
    select id, workspace_id as "workspaceId", status, custom_attributes as "customAttributes" from bots where id = any(${ids})`
  return new Map(rows.map((row) => [row.id, row]))
}

const FIELDS = sql`id, workspace_id as "workspaceId", platform, status, message, error_reason as "errorReason", name,
  meeting_url as "meetingUrl", created_at as "createdAt", join_at as "joinAt", started_at as "startedAt", ended_at as "endedAt",
  custom_attributes as "customAttributes", deduplication_key as "deduplicationKey", callback_url as "callbackUrl",
  transcript_id as "transcriptId", delivered, timeline, evidence, erased_at is not null as "isErased", request, spec,
  login_id as "loginId"`

export function findBot(db: Db, workspace: WorkspaceId, id: string): Promise<Bot | null> {
  return firstRow<Bot>(db)`select ${FIELDS} from bots where id = ${id} and workspace_id = ${workspace}`
}

/** Oldest first. */
export function listBotIds(db: Db, workspace: WorkspaceId): Promise<BotId[]> {
  return idsOf<BotId>(db)`select id from bots where workspace_id = ${workspace} order by created_at, id`
}

export type LinkedBot = Pick<Bot, 'platform'> & { readonly deletionEpoch: number; readonly inMeetingAt: Date | null }

/** Not limited to one workspace: the signed link itself grants access. */
export function findLinkedBot(db: Db, bot: BotId): Promise<LinkedBot | null> {
  return firstRow<LinkedBot>(db)`
    select deletion_epoch as "deletionEpoch", platform, in_meeting_at as "inMeetingAt" from bots where id = ${bot}`
}

export function findBotByTranscript(db: Db, workspace: WorkspaceId, transcript: string): Promise<Bot | null> {
  return firstRow<Bot>(db)`select ${FIELDS} from bots where transcript_id = ${transcript} and workspace_id = ${workspace}`
}

export function botExists(db: Db, id: string): Promise<boolean> {
  return hasRow(db)`select from bots where id = ${id}`
}

/** The bot that an earlier request of this workspace created with one of these keys. */
export function findByKey(
  db: Db,
  workspace: WorkspaceId,
  key: { readonly idempotency: string } | { readonly deduplication: string },
): Promise<(Bot & { readonly meetingId: string }) | null> {
  // Compares the digest as well, because the index holds only that.
  const isIt =
    'idempotency' in key
      ? sql`idempotency_key = ${key.idempotency}`
      : sql`deduplication_digest(deduplication_key) = deduplication_digest(${key.deduplication})
          and deduplication_key = ${key.deduplication}`
  return firstRow<Bot & { readonly meetingId: string }>(db)`
    select ${FIELDS}, meeting_id as "meetingId" from bots where workspace_id = ${workspace} and ${isIt}`
}

/** Written as literals: the planner matches a partial index only by literals. */
export const running = sql`status in (${sql.join(RUNNING.map((status) => sql.lit(status)))})`

export async function countRunning(db: Db, workspace: WorkspaceId): Promise<number> {
  const { count } = await onlyRow<{ count: number }>(db)`
    select count(*) as count from bots where workspace_id = ${workspace} and ${running}`
  return count
}

export function listScheduled(db: Db, workspace: WorkspaceId, { after, limit }: { after: Date; limit: number }): Promise<Bot[]> {
  return rowsOf<Bot>(db)`
    select ${FIELDS} from bots where workspace_id = ${workspace} and status = 'Scheduled' and join_at > ${after}
    order by join_at, id limit ${limit}`
}

export type ScheduleChange = Pick<Bot, 'customAttributes' | 'spec'> & { readonly joinAt: Date; readonly launchAt: Date }

/** Voids a claim for the bot's old time, and forgets that it waited for a seat then: it is checked again at its new time. */
export const UNCLAIMED = sql`fence = fence + 1, node_id = null, timeline = timeline - 'Queued'`

/** False: the bot is no longer scheduled. */
export async function rewriteSchedule(tx: Db, bot: Bot, { joinAt, launchAt, customAttributes, spec }: ScheduleChange): Promise<boolean> {
  const isRewritten = await hasRow(tx)`
    update bots set join_at = ${joinAt}, started_at = ${joinAt}, launch_at = ${launchAt}, ${UNCLAIMED}, name = ${spec.name},
      custom_attributes = ${JSON.stringify(customAttributes)}, spec = ${JSON.stringify(spec)}
    where id = ${bot.id} and status = 'Scheduled' returning id`
  if (isRewritten) await rewriteTerms(tx, bot, customAttributes)
  return isRewritten
}

async function rewriteTerms(tx: Db, { id, workspaceId, createdAt, customAttributes }: Bot, next: JsonObject): Promise<void> {
  const terms = (attributes: JsonObject) => sql`unnest(${attributeTerms(workspaceId, attributes)}::bigint[])`
  await sql`delete from bot_terms where term in (select ${terms(customAttributes)}) and created_at = ${createdAt} and bot_id = ${id}`.execute(
    tx,
  )
  await sql`insert into bot_terms (term, created_at, bot_id) select ${terms(next)}, ${createdAt}, ${id} on conflict do nothing`.execute(tx)
}

/** Whether the bot has left its meeting for good. */
export function hasEnded(db: Db, id: BotId): Promise<boolean> {
  return hasRow(db)`select from bots where id = ${id} and ended_at is not null`
}

/** Records that the bot's greeting has been posted. */
export async function noteGreeted(db: Db, { botId, fence }: Claim, at: Date): Promise<void> {
  await sql`update bots set greeted_at = coalesce(greeted_at, ${at}) where id = ${botId} and fence = ${fence}`.execute(db)
}

/** Records that the bot's recording has been paused or resumed. */
export async function notePause(db: Db, { botId, fence }: Claim, { isPaused, at }: PauseChange): Promise<void> {
  await sql`update bots set is_paused = ${isPaused}, pause_changed_at = ${new Date(at)} where id = ${botId} and fence = ${fence}`.execute(
    db,
  )
}

export async function addEvidence(db: Db, id: BotId, evidence: Evidence): Promise<void> {
  await sql`update bots set evidence = evidence || ${JSON.stringify([evidence])}::jsonb where id = ${id}`.execute(db)
}

/** Deletes the captured content of a bot's meeting and returns the number of deleted items. */
export async function eraseContent(tx: Db, id: BotId): Promise<number> {
  const row = await firstRow<{ count: number }>(tx)`select jsonb_array_length(evidence) as count from bots where id = ${id}`
  await sql`update bots set evidence = '[]' where id = ${id}`.execute(tx)
  return row?.count ?? 0
}

export async function setLogin(db: Db, id: BotId, login: LoginId): Promise<void> {
  await sql`update bots set login_id = ${login} where id = ${id}`.execute(db)
}
