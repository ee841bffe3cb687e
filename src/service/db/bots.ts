// Reads of bots, and the writes that leave their status alone.
import { type Selectable, sql } from 'kysely'
import type { Bot, BotId, BotSpec, Evidence, JsonObject, LoginId, WorkspaceId } from '../../domain/bot.ts'
import { RUNNING, type Status } from '../../domain/lifecycle.ts'
import type { Platform } from '../../domain/platforms.ts'
import { attributeTerms } from './attribute-terms.ts'
import type { Db } from './database.ts'
import type { Tables } from './tables.ts'

export type BotStatus = {
  readonly id: BotId
  readonly workspaceId: WorkspaceId
  readonly status: Status
  readonly customAttributes: JsonObject
}

/** The read that clients poll: four columns, by primary key, for as many as ask at the same moment. Mind the workspace. */
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

/** The bot that an earlier request of this workspace made with one of these keys. */
export async function findByKey(
  db: Db,
  workspace: WorkspaceId,
  key: { readonly idempotency: string } | { readonly deduplication: string },
): Promise<(Bot & { readonly meetingId: string }) | null> {
  const [column, value] =
    'idempotency' in key ? (['idempotency_key', key.idempotency] as const) : (['deduplication_key', key.deduplication] as const)
  const row = await db.selectFrom('bots').selectAll().where('workspace_id', '=', workspace).where(column, '=', value).executeTakeFirst()
  return row ? { ...botFrom(row), meetingId: row.meeting_id } : null
}

/** Spelled out, because the planner matches a partial index only by literals. */
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

/** Whoever has claimed it for its old time comes too late; else the fence stays, for it counts how often a bot was sent. */
export const UNCLAIMED = { fence: sql<number>`case when node_id is null then fence else fence + 1 end`, node_id: null }

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

export type DueBot = {
  readonly id: BotId
  readonly workspaceId: WorkspaceId
  readonly platform: Platform
  readonly status: Status
  readonly joinAt: Date | null
  readonly fence: number
  readonly spec: BotSpec
  readonly customAttributes: JsonObject
}

type ClaimOrder = { readonly limit: number; readonly leaseSeconds: number; readonly nodeId: string }

/** Takes due bots for `leaseSeconds`: whoever took one and died gives it back when that has passed. */
export async function claimDue(db: Db, { limit, leaseSeconds, nodeId }: ClaimOrder): Promise<DueBot[]> {
  const rows = await db
    .updateTable('bots')
    .set({ launch_at: sql`now() + make_interval(secs => ${leaseSeconds})`, fence: sql`fence + 1`, node_id: nodeId })
    .where('id', 'in', (due) =>
      due
        .selectFrom('bots')
        .select('id')
        .where('launch_at', '<=', sql<Date>`now()`)
        .orderBy('launch_at')
        .limit(limit)
        .forUpdate()
        .skipLocked(),
    )
    .returning(['id', 'workspace_id', 'platform', 'status', 'join_at', 'fence', 'spec', 'custom_attributes'])
    .execute()
  return rows.map((row) => ({
    id: row.id as BotId,
    workspaceId: row.workspace_id as WorkspaceId,
    platform: row.platform,
    status: row.status,
    joinAt: row.join_at,
    ...{ fence: row.fence, spec: row.spec, customAttributes: row.custom_attributes },
  }))
}

export type Claim = { readonly botId: BotId; readonly fence: number }

/** Keeps these claims, and returns the bots that are still ours: not ended, and not claimed by anybody since. */
export async function renewClaims(db: Db, claims: readonly Claim[], leaseSeconds: number): Promise<ReadonlySet<BotId>> {
  if (claims.length === 0) return new Set()
  const { rows } = await sql<{ id: BotId }>`update bots set launch_at = now() + make_interval(secs => ${leaseSeconds})
    from unnest(${claims.map(({ botId }) => botId)}::text[], ${claims.map(({ fence }) => fence)}::int[]) as claim (id, fence)
    where bots.id = claim.id and bots.fence = claim.fence and launch_at is not null returning bots.id`.execute(db)
  return new Set(rows.map(({ id }) => id))
}

/** Makes a bot due now. A claim that is no longer the bot's changes nothing. */
export async function giveBack(db: Db, { botId, fence }: Claim): Promise<void> {
  await sql`update bots set launch_at = now() where id = ${botId} and fence = ${fence} and launch_at is not null`.execute(db)
}

/** Those of them that have left their meeting for good. */
export async function endedAmong(db: Db, ids: readonly BotId[]): Promise<BotId[]> {
  if (ids.length === 0) return []
  const { rows } = await sql<{ id: BotId }>`select id from bots where id = any(${ids}) and ended_at is not null`.execute(db)
  return rows.map(({ id }) => id)
}

/** Whether the bot has not been claimed again, or taken from its owner, since. */
export async function holdsClaim(db: Db, { botId, fence }: Claim): Promise<boolean> {
  const { rows } = await sql`select from bots where id = ${botId} and fence = ${fence}`.execute(db)
  return rows.length > 0
}

/** From now on, whatever the bot's owner still reports changes nothing. */
export async function disown(db: Db, id: BotId): Promise<void> {
  await sql`update bots set fence = fence + 1 where id = ${id}`.execute(db)
}

/** The moment the next bot is due, or null when none is waiting. */
export async function nextDue(db: Db): Promise<Date | null> {
  const row = await db
    .selectFrom('bots')
    .select('launch_at')
    .where('launch_at', 'is not', null)
    .orderBy('launch_at')
    .limit(1)
    .executeTakeFirst()
  return row?.launch_at ?? null
}

export async function addEvidence(db: Db, id: BotId, evidence: Evidence): Promise<void> {
  await db
    .updateTable('bots')
    .set({ evidence: sql`evidence || ${JSON.stringify([evidence])}::jsonb` })
    .where('id', '=', id)
    .execute()
}

/** Forgets what was captured of a bot's meeting; says how many things that were. */
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
