// The only statements that write a bot's status. Only fleet/transition.ts may call them.
import { CompiledQuery, sql } from 'kysely'
import type { BotId, BotSpec, JsonObject, LoginId, TimelineEntry, WorkspaceId } from '../../domain/bot.ts'
import type { ErrorReason } from '../../domain/errors.ts'
import type { Stage, Status } from '../../domain/lifecycle.ts'
import type { Platform } from '../../domain/platforms.ts'
import { attributeTerms } from './attribute-terms.ts'
import { hasNull } from './claims.ts'
import type { Db } from './database.ts'
import { type NewEvent, receiverOf, targets } from './deliveries.ts'
import { DEFAULT_RETENTION_HOURS } from './retention.ts'
import type { Tables } from './tables.ts'

export type NewBot = {
  readonly id: BotId
  readonly workspaceId: WorkspaceId
  readonly spec: BotSpec
  readonly createdAt: Date
  readonly joinAt: Date | null
  readonly launchAt: Date
  readonly idempotencyKey: string | null
  readonly deduplicationKey: string | null
  readonly callbackUrl: string | null
  readonly transcriptId: string | null
  readonly loginId: LoginId | null
  readonly customAttributes: JsonObject
  readonly request: JsonObject
}

export type StatusEntry = { readonly status: Status; readonly message: string; readonly at: Date }

const COLUMNS = [
  ...['id', 'workspace_id', 'platform', 'meeting_id', 'meeting_url', 'name', 'status', 'message', 'created_at', 'join_at', 'started_at'],
  ...['launch_at', 'idempotency_key', 'deduplication_key', 'callback_url', 'transcript_id', 'login_id', 'custom_attributes', 'timeline'],
  ...['request', 'spec'],
] as const satisfies readonly (keyof Tables['bots'])[]

const after = (place: number): string => `$${COLUMNS.length + place}`

/** Built once and only bound afterwards: every bot is created by this statement. */
const INSERT_BOT = `
  with bot as (
    insert into bots (${COLUMNS.join(', ')}) values (${COLUMNS.map((_, index) => `$${index + 1}`).join(', ')})
    on conflict do nothing returning id, workspace_id, created_at
  ), terms as (
    insert into bot_terms (term, created_at, bot_id) select unnest(${after(1)}::bigint[]), created_at, id from bot on conflict do nothing
  ), event as (
    insert into events (id, workspace_id, bot_id, name, body, created_at)
    select ${after(2)}::text, workspace_id, id, ${after(3)}, ${after(4)}, created_at from bot
  ), delivery as (
    insert into deliveries (event_id, workspace_id, bot_id, endpoint_id, url, receiver, due_at, created_at)
    select ${after(2)}::text, workspace_id, id, target.endpoint_id, target.url, target.receiver, now(), created_at
    from bot, lateral (${targets({ workspace: 'bot.workspace_id', name: after(3), urls: after(5), receivers: after(6) })}) as target
  )
  select id from bot`

/**
 * Writes the bot, its first status and the event of it in one statement.
 * False: the workspace used one of the keys before.
 */
export async function insertBot(db: Db, bot: NewBot, { status, message, at }: StatusEntry, event: NewEvent): Promise<boolean> {
  const columns: Record<(typeof COLUMNS)[number], unknown> = {
    id: bot.id,
    workspace_id: bot.workspaceId,
    platform: bot.spec.meeting.platform,
    meeting_id: bot.spec.meeting.meetingId,
    meeting_url: bot.spec.meeting.url,
    name: bot.spec.name,
    status,
    message,
    created_at: bot.createdAt,
    join_at: bot.joinAt,
    // A scheduled bot's start stays its scheduled join time.
    started_at: bot.joinAt ?? at,
    launch_at: bot.launchAt,
    idempotency_key: bot.idempotencyKey,
    deduplication_key: bot.deduplicationKey,
    callback_url: bot.callbackUrl,
    transcript_id: bot.transcriptId,
    login_id: bot.loginId,
    custom_attributes: JSON.stringify(bot.customAttributes),
    timeline: JSON.stringify({ [status]: entry(message, at) }),
    request: JSON.stringify(bot.request),
    spec: JSON.stringify(bot.spec),
  }
  const terms = attributeTerms(bot.workspaceId, bot.customAttributes)
  const urls = bot.callbackUrl ? [bot.callbackUrl] : []
  const values = [...COLUMNS.map((name) => columns[name]), terms, event.id, event.name, event.body, urls, urls.map(receiverOf)]
  const { rows } = await db.executeQuery(CompiledQuery.raw(INSERT_BOT, values))
  return rows.length > 0
}

export type LockedBot = {
  readonly id: BotId
  readonly workspaceId: WorkspaceId
  readonly platform: Platform
  readonly status: Status
  readonly fence: number
  readonly callbackUrl: string | null
  readonly transcriptId: string | null
  readonly customAttributes: JsonObject
  readonly inMeetingAt: Date | null
  readonly createdAt: Date
  readonly joinAt: Date | null
  /** When the bot got its status. */
  readonly since: Date | null
  readonly spec: BotSpec
}

/** Reads the bot and locks it until the transaction ends. */
export async function lockBot(tx: Db, id: BotId): Promise<LockedBot | null> {
  const row = await tx
    .selectFrom('bots')
    .select([
      'workspace_id',
      'platform',
      'status',
      'fence',
      'callback_url',
      'transcript_id',
      'custom_attributes',
      'in_meeting_at',
      'created_at',
      'join_at',
      'spec',
      sql<Date | null>`(timeline -> status ->> 'timestamp')::timestamptz`.as('since'),
    ])
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst()
  if (!row) return null
  return {
    id,
    workspaceId: row.workspace_id as WorkspaceId,
    platform: row.platform,
    status: row.status,
    fence: row.fence,
    callbackUrl: row.callback_url,
    transcriptId: row.transcript_id,
    customAttributes: row.custom_attributes,
    inMeetingAt: row.in_meeting_at,
    createdAt: row.created_at,
    joinAt: row.join_at,
    since: row.since,
    spec: row.spec,
  }
}

export type StatusWrite = StatusEntry & {
  readonly reason: ErrorReason | null
  readonly ends: boolean
  /** Whether files are to be made of its recording. */
  readonly media: 'expected' | 'if recorded' | 'none'
}

/** The bot's node has this long to upload the rest of the recording. */
const UPLOAD_SECONDS = 15

export async function writeStatus(tx: Db, id: BotId, { status, message, at, reason, ends, media }: StatusWrite): Promise<void> {
  await tx
    .updateTable('bots')
    .set({
      status,
      message,
      // The first entry of a stage stays.
      timeline: sql`${JSON.stringify({ [status]: entry(message, at) })}::jsonb || timeline`,
      ...(reason && { error_reason: reason }),
      ...(status === 'InMeeting' && { in_meeting_at: sql<Date>`coalesce(in_meeting_at, ${at})` }),
      ...(media !== 'none' && {
        process_at: sql<Date>`case when ${media === 'expected'} or timeline ? 'Recording'
          then now() + make_interval(secs => ${UPLOAD_SECONDS}) end`,
      }),
      ...(ends && { ended_at: sql<Date>`coalesce(ended_at, ${at})`, launch_at: null, lost_at: null }),
      // Deleted data needs no deletion time. A bot that goes on gets a new one at its end.
      delete_at:
        ends && status !== 'MediaExpired'
          ? sql<Date>`${at}::timestamptz + make_interval(secs => 3600 * coalesce((spec->>'retentionHours')::double precision,
              (select retention_hours from workspaces where workspaces.id = bots.workspace_id), ${DEFAULT_RETENTION_HOURS}))`
          : null,
    })
    .where('id', '=', id)
    .execute()
}

/** Whether the bot has recorded, so that files may follow. */
export async function hasRecorded(tx: Db, id: BotId): Promise<boolean> {
  const { rows } = await sql`select from bots where id = ${id} and timeline ? 'Recording'`.execute(tx)
  return rows.length > 0
}

/** Writes a stage that is no status. A stage that repeats keeps its newest entry. For the others the first stays, and the result is false. */
export async function writeStage(
  tx: Db,
  id: BotId,
  stage: Stage,
  { message, at, repeats }: Pick<StatusEntry, 'message' | 'at'> & { readonly repeats: boolean },
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('bots')
    .set({ timeline: sql`timeline || ${JSON.stringify({ [stage]: entry(message, at) })}::jsonb` })
    .where('id', '=', id)
    .where(sql<boolean>`(${repeats} or not timeline ? ${stage})`)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Writes the stage to those of the bots that wait for a seat and do not have it. */
export async function writeWaiting(
  db: Db,
  stage: Stage,
  ids: readonly BotId[],
  { message, at }: Pick<StatusEntry, 'message' | 'at'>,
): Promise<void> {
  await sql`update bots set timeline = timeline || ${JSON.stringify({ [stage]: entry(message, at) })}::jsonb where id in (
    select id from bots where id = any(${ids}::text[]) and launch_at <= now() and ${hasNull('node_id')} and not timeline ? ${stage}
    for update skip locked)`.execute(db)
}

function entry(message: string, at: Date): TimelineEntry {
  return { status: true, timestamp: at.toISOString(), message }
}
