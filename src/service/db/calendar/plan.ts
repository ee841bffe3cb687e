// Queries of planning: related events of the mirror, and the schedules that link bots to occurrences.
import { sql } from 'kysely'
import type { BotId, BotSpec, ConnectionId, JsonObject, WorkspaceId } from '../../../domain/bot.ts'
import type { Candidate, Existing, Phase, WantedBot } from '../../../domain/calendar-plan.ts'
import { RUNNING, type Status } from '../../../domain/lifecycle.ts'
import type { Db } from '../database.ts'
import { UNCLAIMED } from '../fleet/bots.ts'
import { hasRow, rowsOf } from '../query.ts'
import type { Connection } from './connections.ts'

/** One plan at a time in a workspace: two copies of a meeting may be synced concurrently. */
export async function lockPlans(tx: Db, workspace: WorkspaceId): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtextextended(${workspace}, 4021979))`.execute(tx)
}

/** Keys by which events are related: those of occurrences and of meetings. */
export type RelatedKeys = { readonly occurrences: readonly string[]; readonly meetings: readonly string[] }

export async function relatedKeysOf(tx: Db, eventIds: readonly string[]): Promise<RelatedKeys> {
  const { rows } = await sql<{ occurrence: string; meeting: string | null }>`
    select occurrence_key as occurrence, meeting_key as meeting from calendar_events where id = any(${eventIds})`.execute(tx)
  return { occurrences: rows.map(({ occurrence }) => occurrence), meetings: rows.flatMap(({ meeting }) => meeting ?? []) }
}

/** A request for a series applies to its occurrences between two starts, unless an occurrence has its own. */
const SERIES_REQUEST = sql`case when master.wish is not null and master.recurring_enabled and event.original_start >= master.wish_from
  and (master.wish_until is null or event.original_start <= master.wish_until) then master.wish end`

const WITH_OWNERS = sql`calendar_events event
  join calendars calendar on calendar.id = event.calendar_id
  join calendar_connections connection on connection.id = calendar.connection_id
  left join calendar_settings settings on settings.user_id = event.user_id
  left join calendar_events master on master.calendar_id = event.calendar_id and master.platform_id = event.master_platform_id`

/** All events with these keys, each key by its own index. Of meetings, only those that ended recently or are ahead. */
export function loadCandidates(tx: Db, workspace: WorkspaceId, { occurrences, meetings }: RelatedKeys, since: Date): Promise<Candidate[]> {
  return rowsOf<Candidate>(tx)`
    select event.id as "eventId", event.occurrence_key as "occurrenceKey", event.meeting_key as "meetingKey", event.start_at as start,
      event.end_at as "end", event.changed_at as "changedAt",
      not event.is_deleted and not event.is_declined and event.kind <> 'master' and connection.state <> 'disconnected' as attended,
      coalesce(event.wish, ${SERIES_REQUEST}) as request, case when event.wish is null then master.wished_at else event.wished_at end as "requestedAt",
      coalesce(settings.auto_schedule, false) and calendar.is_own and not event.is_all_day
        and coalesce(master.recurring_enabled, true) as auto
    from ${WITH_OWNERS}
    where event.end_at > ${since} and event.id in (
      select id from calendar_events where workspace_id = ${workspace} and occurrence_key = any(${occurrences})
      union select id from calendar_events where workspace_id = ${workspace} and meeting_key = any(${meetings}))`
}

export async function loadSchedules(
  tx: Db,
  workspace: WorkspaceId,
  { occurrences, meetings }: RelatedKeys,
  since: Date,
): Promise<Existing[]> {
  const { rows } = await sql<Omit<Existing, 'phase'> & { status: Status }>`
    select schedule.id as "scheduleId", schedule.bot_id as "botId", schedule.event_id as "eventId",
      schedule.occurrence_key as "occurrenceKey", schedule.meeting_key as "meetingKey", schedule.start_at as start,
      -- The timeline remembers a cancellation after the bot's data is deleted.
      case when bot.timeline ? 'Cancelled' then 'Cancelled' else bot.status end as status
    from calendar_schedules schedule join bots bot on bot.id = schedule.bot_id
    where schedule.id in (
      select id from calendar_schedules where workspace_id = ${workspace} and released_at is null and occurrence_key = any(${occurrences})
      union select id from calendar_schedules where workspace_id = ${workspace} and released_at is null and meeting_key = any(${meetings})
        and start_at > ${since})`.execute(tx)
  return rows.map(({ status, ...row }) => ({ ...row, phase: phaseOf(status) }))
}

function phaseOf(status: Status): Phase {
  if (status === 'Scheduled') return 'waiting'
  if (status === 'Cancelled') return 'called_off'
  return RUNNING.includes(status) ? 'out' : 'over'
}

export type JoinDetails = {
  readonly eventId: string
  readonly connectionId: ConnectionId
  readonly url: string
  /** The connection's defaults, then the user's, then those of the request. */
  readonly configs: readonly JsonObject[]
}

/** The link and the configuration of each event's bot. */
export async function loadJoinDetails(tx: Db, eventIds: readonly string[]): Promise<ReadonlyMap<string, JoinDetails>> {
  const { rows } = await sql<Omit<JoinDetails, 'configs'> & { base: JsonObject; auto: JsonObject | null; asked: JsonObject | null }>`
    select event.id as "eventId", connection.id as "connectionId", event.meeting_url as url, connection.bot_config as base,
      case when settings.auto_schedule then settings.default_bot_config end as auto,
      case when event.wish = 'bot' then event.wish_config when event.wish is null and ${SERIES_REQUEST} = 'bot' then master.wish_config end as asked
    from ${WITH_OWNERS} where event.id = any(${eventIds}) and event.meeting_url is not null`.execute(tx)
  return new Map(rows.map(({ base, auto, asked, ...row }) => [row.eventId, { ...row, configs: [base, auto ?? {}, asked ?? {}] }]))
}

export type NewSchedule = { readonly id: string; readonly workspaceId: WorkspaceId; readonly botId: BotId; readonly wanted: WantedBot }

export async function insertSchedule(tx: Db, { id, workspaceId, botId, wanted }: NewSchedule, at: Date): Promise<void> {
  const { eventId, meetingKey, start, occurrenceKeys } = wanted
  await sql`insert into calendar_schedules (id, workspace_id, event_id, occurrence_key, meeting_key, start_at, bot_id, created_at)
    values (${id}, ${workspaceId}, ${eventId}, ${occurrenceKeys[0] ?? ''}, ${meetingKey}, ${start}, ${botId}, ${at})`.execute(tx)
}

/** Lets these occurrences have another bot. */
export async function releaseSchedules(tx: Db, ids: readonly string[], at: Date): Promise<void> {
  if (ids.length > 0) await sql`update calendar_schedules set released_at = ${at} where id = any(${ids})`.execute(tx)
}

/** Reuses a schedule for another bot request. It was released before, so that two schedules can swap. */
export async function changeSchedule(tx: Db, { scheduleId, occurrenceKey }: Existing, wanted: WantedBot): Promise<void> {
  const key = wanted.occurrenceKeys.includes(occurrenceKey) ? occurrenceKey : (wanted.occurrenceKeys[0] ?? occurrenceKey)
  await sql`update calendar_schedules set event_id = ${wanted.eventId}, occurrence_key = ${key}, meeting_key = ${wanted.meetingKey},
    start_at = ${wanted.start}, released_at = null where id = ${scheduleId}`.execute(tx)
}

export type Redirection = { readonly joinAt: Date; readonly launchAt: Date; readonly spec: BotSpec | null }

/** Sets another time, and another meeting if `spec` is given. False: the bot has started. */
export function redirectBot(tx: Db, id: string, { joinAt, launchAt, spec }: Redirection): Promise<boolean> {
  const meeting = spec
    ? sql`, platform = ${spec.meeting.platform}, meeting_id = ${spec.meeting.meetingId}, meeting_url = ${spec.meeting.url},
        name = ${spec.name}, spec = ${JSON.stringify(spec)}`
    : sql``
  return hasRow(tx)`update bots set join_at = ${joinAt}, started_at = ${joinAt}, launch_at = ${launchAt}, ${UNCLAIMED}${meeting}
    where id = ${id} and status = 'Scheduled' returning id`
}

export type PlanSpan = { readonly after: Date; readonly afterId: string; readonly until: Date; readonly limit: number }

/** A page of a connection's events that start in this span, in order. */
export function eventsToPlan(db: Db, connection: ConnectionId, { after, afterId, until, limit }: PlanSpan) {
  return rowsOf<{ id: string; start: Date }>(db)`
    select event.id, event.start_at as start from calendar_events event
    where event.calendar_id in (select id from calendars where connection_id = ${connection}) and (event.start_at, event.id) > (${after}, ${afterId}) and event.start_at <= ${until}
      and event.meeting_key is not null and event.kind <> 'master' order by event.start_at, event.id limit ${limit}`
}

/** Whether a bot for this connection's events is to join in this span. */
export function hasMeeting(
  db: Db,
  { id, workspaceId }: Pick<Connection, 'id' | 'workspaceId'>,
  span: { from: Date; until: Date },
): Promise<boolean> {
  return hasRow(db)`
    select from calendar_schedules schedule join calendar_events event on event.id = schedule.event_id
    join calendars calendar on calendar.id = event.calendar_id
    where schedule.workspace_id = ${workspaceId} and schedule.released_at is null and schedule.start_at between ${span.from} and ${span.until}
      and calendar.connection_id = ${id} limit 1`
}
