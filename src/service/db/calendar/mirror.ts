// The mirror of the providers' events, written in pages with one statement each.
import { type RawBuilder, sql } from 'kysely'
import type { CalendarId, ConnectionId, UserId, WorkspaceId } from '../../../domain/bot.ts'
import type { PresentEvent } from '../../../domain/calendar.ts'
import { newId } from '../../../kit/id.ts'
import type { Db } from '../database.ts'
import { idsOf, rowsOf } from '../query.ts'
import type { Calendar } from './calendars.ts'

/** `isDerived` is also true for an occurrence that we expanded. */
export type MirroredEvent = Omit<PresentEvent, 'places'> & {
  readonly occurrenceKey: string
  readonly isDeleted: boolean
  readonly meetingUrl: string | null
  readonly meetingPlatform: string | null
  readonly meetingKey: string | null
}

export type Writing = { readonly at: Date; readonly yields: boolean }

export type Place = { readonly workspaceId: WorkspaceId; readonly userId: UserId; readonly calendar: Pick<Calendar, 'id' | 'run'> }

/** Writes these rows and returns their ids. Rows that `yield` never replace an occurrence that the provider sent. */
export async function writeEvents(tx: Db, place: Place, events: readonly MirroredEvent[], { at, yields }: Writing): Promise<string[]> {
  if (events.length === 0) return []
  const rows = events.map((event) => ({ id: newId('evt', at), ...event }))
  return idsOf(tx)`
    insert into calendar_events as known (id, workspace_id, user_id, calendar_id, platform_id, ical_uid, kind, master_platform_id,
      original_start, is_derived, occurrence_key, title, start_at, end_at, is_all_day, time_zone, recurrence, is_deleted, is_declined,
      meeting_url, meeting_platform, meeting_key, changed_at, raw, run, created_at, updated_at)
    select id, ${place.workspaceId}, ${place.userId}, ${place.calendar.id}, "platformId", "icalUid", kind, "masterPlatformId",
      "originalStart", "isDerived", "occurrenceKey", title, start, "end", "isAllDay", "timeZone",
      array(select json_array_elements_text(recurrence)), "isDeleted", "isDeclined", "meetingUrl", "meetingPlatform", "meetingKey",
      "changedAt", raw, ${place.calendar.run}::int, ${at}, ${at}
    from json_to_recordset(${JSON.stringify(rows)}::json) as it (id text, "platformId" text, "icalUid" text, kind text,
      "masterPlatformId" text, "originalStart" timestamptz, "isDerived" boolean, "occurrenceKey" text, title text, start timestamptz,
      "end" timestamptz, "isAllDay" boolean, "timeZone" text, recurrence json, "isDeleted" boolean, "isDeclined" boolean,
      "meetingUrl" text, "meetingPlatform" text, "meetingKey" text, "changedAt" timestamptz, raw json)
    on conflict (calendar_id, platform_id) do update set ical_uid = excluded.ical_uid, kind = excluded.kind,
      master_platform_id = excluded.master_platform_id, original_start = excluded.original_start, is_derived = excluded.is_derived,
      occurrence_key = excluded.occurrence_key, title = excluded.title, start_at = excluded.start_at, end_at = excluded.end_at,
      is_all_day = excluded.is_all_day, time_zone = excluded.time_zone, recurrence = excluded.recurrence,
      is_deleted = excluded.is_deleted, is_declined = excluded.is_declined, meeting_url = excluded.meeting_url,
      meeting_platform = excluded.meeting_platform, meeting_key = excluded.meeting_key, changed_at = excluded.changed_at,
      raw = excluded.raw, run = excluded.run, updated_at = excluded.updated_at,
      expanded_until = null
    where not ${yields} or known.is_derived
    returning id`
}

/** Marks events and the rest of their series as deleted, and returns the ids of the rows that were not. */
export async function markGone(tx: Db, calendar: Place['calendar'], platformIds: readonly string[], at: Date): Promise<string[]> {
  return [
    ...(await endEvents(tx, calendar, sql`platform_id = any(${platformIds})`, at)),
    ...(await endSeries(tx, calendar, platformIds, at)),
  ]
}

/** Marks the rest of these series as deleted. An event can stop repeating and remain. */
export function endSeries(tx: Db, calendar: Place['calendar'], masters: readonly string[], at: Date): Promise<string[]> {
  return endEvents(tx, calendar, sql`master_platform_id = any(${masters}) and end_at > ${at}`, at)
}

function endEvents(tx: Db, calendar: Place['calendar'], which: RawBuilder<unknown>, at: Date): Promise<string[]> {
  return idsOf(tx)`
    update calendar_events set is_deleted = true, updated_at = ${at}, run = ${calendar.run}::int
    where calendar_id = ${calendar.id} and not is_deleted and ${which} returning id`
}

/** Deletes derived occurrences of a master from `from` on that are not among `kept`. */
export function dropDerived(tx: Db, calendar: CalendarId, master: string, span: { from: Date; kept: readonly string[] }, at: Date) {
  return idsOf(tx)`
    update calendar_events set is_deleted = true, updated_at = ${at}
    where calendar_id = ${calendar} and master_platform_id = ${master} and is_derived and not is_deleted
      and start_at >= ${span.from} and not (platform_id = any(${span.kept})) returning id`
}

export type Sweep = { readonly from: Date; readonly until: Date | null; readonly derivedToo: boolean }

/** After a full read: deletes the rows that the read should have seen and did not. */
export function sweepUnseen(tx: Db, calendar: Place['calendar'], { from, until, derivedToo }: Sweep, at: Date) {
  return rowsOf<{ id: string; platformId: string }>(tx)`
    update calendar_events set is_deleted = true, updated_at = ${at}
    where calendar_id = ${calendar.id} and run < ${calendar.run}::int and not is_deleted and (${derivedToo} or not is_derived)
      and (kind = 'master' or (end_at >= ${from} and (${until}::timestamptz is null or start_at < ${until})))
    returning id, platform_id as "platformId"`
}

/** Copies the fields of masters to occurrences that have none of their own. */
export async function inheritFromMasters(tx: Db, calendar: CalendarId, masters: readonly string[], at: Date): Promise<string[]> {
  if (masters.length === 0) return []
  return idsOf(tx)`
    update calendar_events event set title = master.title, is_declined = master.is_declined, meeting_url = master.meeting_url,
      meeting_platform = master.meeting_platform, meeting_key = master.meeting_key, changed_at = master.changed_at, updated_at = ${at}
    from calendar_events master
    where master.calendar_id = ${calendar} and master.platform_id = any(${masters}) and master.kind = 'master'
      and event.calendar_id = master.calendar_id and event.master_platform_id = master.platform_id and event.is_derived
    returning event.id`
}

export type Master = Omit<MirroredEvent, 'kind' | 'masterPlatformId' | 'originalStart' | 'isDerived' | 'occurrenceKey' | 'isDeleted'>

/** Masters whose rule has not been expanded as far as `until`. */
export function mastersToExpand(db: Db, calendar: CalendarId, { until, limit }: { until: Date; limit: number }): Promise<Master[]> {
  return rowsOf<Master>(db)`
    select platform_id as "platformId", ical_uid as "icalUid", title, start_at as start, end_at as "end", is_all_day as "isAllDay",
      time_zone as "timeZone", recurrence, is_declined as "isDeclined", meeting_url as "meetingUrl", meeting_platform as "meetingPlatform",
      meeting_key as "meetingKey", changed_at as "changedAt", raw
    from calendar_events where calendar_id = ${calendar} and kind = 'master' and not is_deleted
      and (expanded_until is null or expanded_until < ${until}) order by expanded_until nulls first limit ${limit}`
}

export async function markExpanded(tx: Db, calendar: CalendarId, masters: readonly string[], until: Date | null): Promise<void> {
  if (masters.length === 0) return
  await sql`update calendar_events set expanded_until = ${until} where calendar_id = ${calendar} and platform_id = any(${masters})
    and kind = 'master'`.execute(tx)
}

/** Marks all future events of a connection's calendars as deleted, for a last plan of their bots. */
export function abandonEvents(tx: Db, connection: ConnectionId, at: Date): Promise<string[]> {
  return idsOf(tx)`
    update calendar_events set is_deleted = true, updated_at = ${at}
    where calendar_id in (select id from calendars where connection_id = ${connection}) and not is_deleted and end_at > ${at}
    returning id`
}
