// Reads of bots, and writes that do not touch their status.
import { type Selectable, sql } from 'kysely'
import type { Bot, BotId, BotSpec, Evidence, JsonObject, LoginId, WorkspaceId } from '../../domain/bot.ts'
import { RUNNING, type Status } from '../../domain/lifecycle.ts'
import { attributeTerms } from './attribute-terms.ts'
import type { Claim } from './claims.ts'
import type { Db } from './database.ts'
import type { Tables } from './tables.ts'

export type BotStatus = {
  readonly id: BotId
  readonly workspaceId: WorkspaceId
  readonly status: Status
  readonly customAttributes: JsonObject
}

/** The query that clients poll: four columns by primary key, batched. The caller checks the workspace. */
export async function findStatuses(db: Db, ids: readonly string[]): Promise<ReadonlyMap<string, BotStatus>> {
  const { rows } = await sql<BotStatus>`
    select id, workspace_id as "workspaceId", status, custom_attributes as "customAttributes" from bots where id = any(${ids})`.execute(db)
  return new Map(rows.map((row) => [row.id, row]))
}

export async function findBot(db: Db, workspace: WorkspaceId, id: string): Promise<Bot | null> {
  const row = await db.selectFrom('bots').selectAll().where('id', '=', id).where('workspace_id', '=', workspace).executeTakeFirst()
  return row ? botFrom(row) : null
}

export async function findBotByTranscript(db: Db, workspace: WorkspaceId, transcript: string): Promise<Bot | null> {
  const row = await db
    .selectFrom('bots')
    .selectAll()
    .where('transcript_id', '=', transcript)
    .where('workspace_id', '=', workspace)
    .executeTakeFirst()
  return row ? botFrom(row) : null
}

export async function botExists(db: Db, id: string): Promise<boolean> {
  return (await db.selectFrom('bots').select('id').where('id', '=', id).executeTakeFirst()) !== undefined
}

/** The bot that an earlier request of this workspace created with one of these keys. */
export async function findByKey(
  db: Db,
  workspace: WorkspaceId,
  key: { readonly idempotency: string } | { readonly deduplication: string },
): Promise<(Bot & { readonly meetingId: string }) | null> {
  // Compares the digest as well, because the index holds only that.
  const isIt =
    'idempotency' in key
      ? sql<boolean>`idempotency_key = ${key.idempotency}`
      : sql<boolean>`deduplication_digest(deduplication_key) = deduplication_digest(${key.deduplication})
          and deduplication_key = ${key.deduplication}`
  const row = await db.selectFrom('bots').selectAll().where('workspace_id', '=', workspace).where(isIt).executeTakeFirst()
  return row ? { ...botFrom(row), meetingId: row.meeting_id } : null
}

/** Written as literals: the planner matches a partial index only by literals. */
export const running = sql<boolean>`status in (${sql.join(RUNNING.map((status) => sql.lit(status)))})`

export async function countRunning(db: Db, workspace: WorkspaceId): Promise<number> {
  const { count } = await db
    .selectFrom('bots')
    .select(sql<number>`count(*)`.as('count'))
    .where('workspace_id', '=', workspace)
    .where(running)
    .executeTakeFirstOrThrow()
  return count
}

export async function listScheduled(db: Db, workspace: WorkspaceId, { after, limit }: { after: Date; limit: number }): Promise<Bot[]> {
  const rows = await db
    .selectFrom('bots')
    .selectAll()
    .where('workspace_id', '=', workspace)
    .where('status', '=', sql.lit('Scheduled' as const))
    .where('join_at', '>', after)
    .orderBy('join_at')
    .orderBy('id')
    .limit(limit)
    .execute()
  return rows.map(botFrom)
}

export type ScheduleChange = {
  readonly joinAt: Date
  readonly launchAt: Date
  readonly customAttributes: JsonObject
  readonly spec: BotSpec
}

/** Voids a claim for the bot's old time, and forgets that it waited for a seat then: it is checked again at its new time. */
export const UNCLAIMED = { fence: sql<number>`fence + 1`, node_id: null, timeline: sql<string>`timeline - 'Queued'` }

/** False: the bot is no longer scheduled. */
export async function rewriteSchedule(tx: Db, bot: Bot, change: ScheduleChange): Promise<boolean> {
  const row = await tx
    .updateTable('bots')
    .set({
      join_at: change.joinAt,
      started_at: change.joinAt,
      launch_at: change.launchAt,
      ...UNCLAIMED,
      name: change.spec.name,
      custom_attributes: JSON.stringify(change.customAttributes),
      spec: JSON.stringify(change.spec),
    })
    .where('id', '=', bot.id)
    .where('status', '=', 'Scheduled')
    .returning('id')
    .executeTakeFirst()
  if (row) await rewriteTerms(tx, bot, change.customAttributes)
  return row !== undefined
}

async function rewriteTerms(tx: Db, { id, workspaceId, createdAt, customAttributes }: Bot, next: JsonObject): Promise<void> {
  const terms = (attributes: JsonObject) => sql`unnest(${attributeTerms(workspaceId, attributes)}::bigint[])`
  await sql`delete from bot_terms where term in (select ${terms(customAttributes)}) and created_at = ${createdAt} and bot_id = ${id}`.execute(
    tx,
  )
  await sql`insert into bot_terms (term, created_at, bot_id) select ${terms(next)}, ${createdAt}, ${id} on conflict do nothing`.execute(tx)
}

/** Whether the bot has left its meeting for good. */
export async function hasEnded(db: Db, id: BotId): Promise<boolean> {
  const { rows } = await sql`select from bots where id = ${id} and ended_at is not null`.execute(db)
  return rows.length > 0
}

/** Records that the bot's greeting has been posted. */
export async function noteGreeted(db: Db, { botId, fence }: Claim, at: Date): Promise<void> {
  await sql`update bots set greeted_at = coalesce(greeted_at, ${at}) where id = ${botId} and fence = ${fence}`.execute(db)
}

export async function addEvidence(db: Db, id: BotId, evidence: Evidence): Promise<void> {
  await db
    .updateTable('bots')
    .set({ evidence: sql`evidence || ${JSON.stringify([evidence])}::jsonb` })
    .where('id', '=', id)
    .execute()
}

/** Deletes the captured content of a bot's meeting and returns the number of deleted items. */
export async function eraseContent(tx: Db, id: BotId): Promise<number> {
  const row = await tx.selectFrom('bots').select('evidence').where('id', '=', id).executeTakeFirst()
  await tx.updateTable('bots').set({ evidence: '[]' }).where('id', '=', id).execute()
  return row?.evidence.length ?? 0
}

export async function setLogin(db: Db, id: BotId, login: LoginId): Promise<void> {
  await db.updateTable('bots').set({ login_id: login }).where('id', '=', id).execute()
}

function botFrom(row: Selectable<Tables['bots']>): Bot {
  return {
    id: row.id as BotId,
    workspaceId: row.workspace_id as WorkspaceId,
    platform: row.platform,
    status: row.status,
    message: row.message,
    errorReason: row.error_reason,
    name: row.name,
    meetingUrl: row.meeting_url,
    createdAt: row.created_at,
    joinAt: row.join_at,
    startedAt: row.started_at,
    endedAt: row.ended_at,
    customAttributes: row.custom_attributes,
    deduplicationKey: row.deduplication_key,
    callbackUrl: row.callback_url,
    transcriptId: row.transcript_id,
    delivered: row.delivered,
    timeline: row.timeline,
    evidence: row.evidence,
    isErased: row.erased_at !== null,
    request: row.request,
    spec: row.spec,
    loginId: row.login_id as LoginId | null,
  }
}
