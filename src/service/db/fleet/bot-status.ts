// The only statements that write a bot's status. Only fleet/bot/transition.ts may call them.
import { CompiledQuery, sql } from 'kysely'
import type { Bot, BotId, TimelineEntry } from '../../../domain/bot.ts'
import type { ErrorReason } from '../../../domain/errors.ts'
import type { Stage, Status } from '../../../domain/lifecycle.ts'
import type { Db } from '../database.ts'
import { type NewEvent, receiverOf, type Subject, targets } from '../delivery/deliveries.ts'
import { firstRow, hasRow } from '../query.ts'
import { attributeTerms } from './attribute-terms.ts'
import { hasNull } from './claims.ts'
import { DEFAULT_RETENTION_HOURS } from './retention.ts'

type Given = 'joinAt' | 'deduplicationKey' | 'callbackUrl' | 'transcriptId' | 'loginId' | 'customAttributes' | 'request' | 'spec'

export type NewBot = Pick<Bot, 'id' | 'workspaceId' | 'createdAt' | Given> & {
  readonly launchAt: Date
  readonly idempotencyKey: string | null
}

export type StatusEntry = { readonly status: Status; readonly message: string; readonly at: Date }

const COLUMNS = [
  ...['id', 'workspace_id', 'platform', 'meeting_id', 'meeting_url', 'name', 'status', 'message', 'created_at', 'join_at', 'started_at'],
  ...['launch_at', 'idempotency_key', 'deduplication_key', 'callback_url', 'transcript_id', 'login_id', 'custom_attributes', 'timeline'],
  ...['request', 'spec'],
] as const

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

export type LockedBot = Subject &
  Pick<Bot, 'platform' | 'status' | 'createdAt' | 'joinAt'> & {
    readonly fence: number
    readonly inMeetingAt: Date | null
    /** When the bot got its status. */
    readonly since: Date | null
  }

/** Reads the bot and locks it until the transaction ends. */
export function lockBot(tx: Db, id: BotId): Promise<LockedBot | null> {
  return firstRow<LockedBot>(tx)`
    select id, workspace_id as "workspaceId", platform, status, fence, callback_url as "callbackUrl", transcript_id as "transcriptId",
      custom_attributes as "customAttributes", in_meeting_at as "inMeetingAt", created_at as "createdAt", join_at as "joinAt",
      (timeline -> status ->> 'timestamp')::timestamptz as since
    from bots where id = ${id} for update`
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
      // The first entry is no return: a session that was lost before it needs none.
      ...(status === 'InMeeting' && { in_meeting_at: sql<Date>`coalesce(in_meeting_at, ${at})`, lost_at: null }),
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
export function hasRecorded(tx: Db, id: BotId): Promise<boolean> {
  return hasRow(tx)`select from bots where id = ${id} and timeline ? 'Recording'`
}

/** Writes a stage that is no status. A stage that repeats keeps its newest entry. For the others the first stays, and the result is false. */
export function writeStage(
  tx: Db,
  id: BotId,
  stage: Stage,
  { message, at, repeats }: Pick<StatusEntry, 'message' | 'at'> & { readonly repeats: boolean },
): Promise<boolean> {
  return hasRow(tx)`update bots set timeline = timeline || ${JSON.stringify({ [stage]: entry(message, at) })}::jsonb
    where id = ${id} and (${repeats} or not timeline ? ${stage}) returning id`
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
