// Calendar events as their user sees them, and the user's requests for bots.
import { sql } from 'kysely'
import type { Bot, BotSpec, CalendarId, JsonObject, UserId, WorkspaceId } from '../../../domain/bot.ts'
import type { CalendarProvider } from '../../../domain/calendar.ts'
import type { Status } from '../../../domain/lifecycle.ts'
import type { Db } from '../database.ts'
import { firstRow, rowsOf } from '../query.ts'
import type { MirroredEvent } from './mirror.ts'

export type LinkedBot = Pick<Bot, 'status' | 'name' | 'platform' | 'meetingUrl'> & { readonly id: string; readonly joinAt: string }

export type CalendarEvent = Omit<MirroredEvent, 'originalStart' | 'isDerived' | 'changedAt'> & {
  readonly id: string
  readonly calendarId: CalendarId
  readonly provider: CalendarProvider
  readonly masterId: string | null
  readonly recurringEnabled: boolean
  readonly createdAt: Date
  readonly updatedAt: Date
  readonly bots: readonly LinkedBot[]
}

const FIELDS = sql`event.id, event.calendar_id as "calendarId", connection.provider, event.platform_id as "platformId",
  event.ical_uid as "icalUid", event.kind, master.id as "masterId", event.master_platform_id as "masterPlatformId", event.title,
  event.start_at as start, event.end_at as "end", event.is_all_day as "isAllDay", event.time_zone as "timeZone",
  case when event.kind = 'occurrence' then coalesce(master.recurrence, '{}') else event.recurrence end as recurrence,
  case when event.kind = 'occurrence' then coalesce(master.recurring_enabled, true) else event.recurring_enabled end as "recurringEnabled",
  event.is_deleted as "isDeleted", event.is_declined as "isDeclined", event.meeting_url as "meetingUrl",
  event.meeting_platform as "meetingPlatform", event.meeting_key as "meetingKey", event.occurrence_key as "occurrenceKey", event.raw,
  event.created_at as "createdAt", event.updated_at as "updatedAt", linked.bots`

/** Copies of an event in several calendars of the workspace share one bot. */
const SOURCE = sql`calendar_events event
  join calendars calendar on calendar.id = event.calendar_id
  join calendar_connections connection on connection.id = calendar.connection_id
  left join calendar_events master on master.calendar_id = event.calendar_id and master.platform_id = event.master_platform_id
  left join lateral (
    select coalesce(json_agg(json_build_object('id', bot.id, 'status', bot.status, 'joinAt', bot.join_at, 'name', bot.name,
      'platform', bot.platform, 'meetingUrl', bot.meeting_url) order by bot.id), '[]') as bots
    from calendar_schedules schedule join bots bot on bot.id = schedule.bot_id
    where schedule.workspace_id = event.workspace_id and schedule.released_at is null and event.kind <> 'master'
      and (schedule.occurrence_key = event.occurrence_key or (schedule.meeting_key = event.meeting_key and schedule.start_at = event.start_at))
  ) linked on true`

export function findEvent(db: Db, user: UserId, id: string): Promise<CalendarEvent | null> {
  return firstRow<CalendarEvent>(db)`select ${FIELDS} from ${SOURCE} where event.id = ${id} and event.user_id = ${user}`
}

/** The position at which a page begins, and its direction. */
export type EventPosition = { readonly start: Date; readonly id: string; readonly towards: 'later' | 'earlier' }

export type EventFilter = {
  readonly from: Date
  readonly until: Date
  /** Our id or the provider's. */
  readonly calendarId: string | undefined
  readonly deletedToo: boolean
  /** Also returns the master of a series, which has the time of its first occurrence. */
  readonly mastersToo: boolean
  /** Returns only the first of several copies of a meeting. */
  readonly once: boolean
  readonly position: EventPosition | undefined
  readonly limit: number
}

/** Events with a meeting link in this span of time, soonest first. */
export async function listEvents(db: Db, user: UserId, filter: EventFilter): Promise<CalendarEvent[]> {
  const { from, until, calendarId = null, deletedToo, mastersToo, once, position, limit } = filter
  const backwards = position?.towards === 'earlier'
  const place = position ? sql`and (event.start_at, event.id) ${backwards ? sql`<` : sql`>`} (${position.start}, ${position.id})` : sql``
  const direction = backwards ? sql`desc` : sql`asc`
  const { rows } = await sql<CalendarEvent>`select ${FIELDS} from ${SOURCE}
    where event.user_id = ${user} and event.meeting_url is not null and event.end_at > ${from} and event.start_at < ${until}
      and (${deletedToo} or not event.is_deleted) and (${mastersToo} or event.kind <> 'master') and (${calendarId}::text is null or ${calendarId} in (calendar.id, calendar.platform_id))
      and (not ${once} or not exists (select from calendar_events copy where copy.user_id = event.user_id and copy.id < event.id
        and copy.meeting_url is not null and not copy.is_deleted and copy.kind <> 'master' and event.kind <> 'master'
        and (copy.occurrence_key = event.occurrence_key or (copy.meeting_key = event.meeting_key and copy.start_at = event.start_at))))
      ${place} order by event.start_at ${direction}, event.id ${direction} limit ${limit}`.execute(db)
  return backwards ? rows.reverse() : rows
}

/** The ids of a series' occurrences that begin at `from` or later. */
export function occurrencesFrom(db: Db, calendar: CalendarId, master: string, from: Date): Promise<{ id: string; start: Date }[]> {
  return rowsOf<{ id: string; start: Date }>(db)`
    select id, start_at as start from calendar_events where calendar_id = ${calendar} and master_platform_id = ${master}
      and not is_deleted and end_at > ${from} order by start_at, id`
}

export type EventRequest = {
  readonly request: 'bot' | 'none' | null
  readonly config: JsonObject | null
  /** Of a series only: the range of original starts that the request covers. */
  readonly from: Date | null
  readonly until: Date | null
}

export async function writeEventRequest(
  tx: Db,
  ids: readonly string[],
  { request, config, from, until }: EventRequest,
  at: Date,
): Promise<void> {
  const requestedAt = request === null ? null : at
  await sql`update calendar_events set wish = ${request}, wished_at = ${requestedAt}, wish_config = ${config && JSON.stringify(config)}::json,
    wish_from = ${from}, wish_until = ${until} where id = any(${ids})`.execute(tx)
}

/** Turns a series request into requests of the single occurrences before a date, so that they keep their bots. */
export async function keepSeriesBotsBefore(tx: Db, calendar: CalendarId, master: string, before: Date): Promise<void> {
  await sql`update calendar_events event set wish = 'bot', wished_at = series.wished_at, wish_config = series.wish_config
    from calendar_events series
    where series.calendar_id = ${calendar} and series.platform_id = ${master} and series.wish = 'bot' and event.calendar_id = series.calendar_id
      and event.master_platform_id = series.platform_id and event.wish is null and event.original_start < ${before}
      and event.original_start >= series.wish_from and (series.wish_until is null or event.original_start <= series.wish_until)`.execute(tx)
}

export async function setRecurring(tx: Db, id: string, enabled: boolean): Promise<void> {
  await sql`update calendar_events set recurring_enabled = ${enabled} where id = ${id}`.execute(tx)
}

export type ScheduledBot = {
  readonly scheduleId: string
  readonly botId: string
  readonly status: Status
  readonly joinAt: Date | null
  readonly spec: BotSpec
}

/** The bot of this event, whichever calendar's copy it was scheduled for. */
export function scheduledBotOf(tx: Db, workspace: WorkspaceId, event: CalendarEvent): Promise<ScheduledBot | null> {
  return firstRow<ScheduledBot>(tx)`
    select schedule.id as "scheduleId", bot.id as "botId", bot.status, bot.join_at as "joinAt", bot.spec
    from calendar_schedules schedule join bots bot on bot.id = schedule.bot_id
    where schedule.workspace_id = ${workspace} and schedule.released_at is null and (schedule.occurrence_key = ${event.occurrenceKey}
      or (schedule.meeting_key = ${event.meetingKey} and schedule.start_at = ${event.start})) limit 1`
}

export type AutoSchedule = { readonly enabled: boolean; readonly config: JsonObject }

export async function autoScheduleOf(db: Db, user: UserId): Promise<AutoSchedule> {
  const row = await firstRow<AutoSchedule>(db)`
    select auto_schedule as enabled, default_bot_config as config from calendar_settings where user_id = ${user}`
  return row ?? { enabled: false, config: {} }
}

export async function setAutoSchedule(tx: Db, user: UserId, { enabled, config }: AutoSchedule, at: Date): Promise<void> {
  await sql`insert into calendar_settings (user_id, auto_schedule, default_bot_config, updated_at)
    values (${user}, ${enabled}, ${JSON.stringify(config)}, ${at})
    on conflict (user_id) do update set auto_schedule = excluded.auto_schedule, default_bot_config = excluded.default_bot_config,
      updated_at = excluded.updated_at`.execute(tx)
}
