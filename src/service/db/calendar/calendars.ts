// The calendars of a connection: how far each has been read, and its push channel.
import { sql } from 'kysely'
import type { CalendarId, ConnectionId, UserId } from '../../../domain/bot.ts'
import type { CalendarProvider } from '../../../domain/calendar.ts'
import { newId } from '../../../kit/id.ts'
import type { Db } from '../database.ts'
import { firstRow, hasRow, onlyRow, rowsOf } from '../query.ts'

export type Calendar = {
  readonly id: CalendarId
  readonly connectionId: ConnectionId
  readonly platformId: string
  readonly summary: string
  readonly isPrimary: boolean
  readonly timeZone: string
  readonly syncToken: string | null
  readonly windowUntil: Date | null
  readonly run: number
  readonly channel: Channel | null
}

export type Channel = { readonly id: string; readonly resource: string; readonly digest: Buffer; readonly until: Date }

export type ListedCalendar = Pick<Calendar, 'platformId' | 'summary' | 'isPrimary' | 'timeZone'> & { readonly isOwn: boolean }

type CalendarRow = Omit<Calendar, 'channel'> & {
  readonly channelId: string | null
  readonly resource: string | null
  readonly digest: Buffer | null
  readonly until: Date | null
}

const FIELDS = sql`calendar.id, connection_id as "connectionId", platform_id as "platformId", summary, is_primary as "isPrimary",
  time_zone as "timeZone", sync_token as "syncToken", window_until as "windowUntil", run, channel_id as "channelId",
  channel_resource as resource, channel_digest as digest, channel_until as until`

/** Writes the calendars that the provider lists, and returns those that it no longer lists. */
export async function writeCalendars(tx: Db, connection: ConnectionId, listed: readonly ListedCalendar[], at: Date): Promise<Calendar[]> {
  for (const { platformId, summary, isPrimary, isOwn, timeZone } of listed) {
    await sql`insert into calendars (id, connection_id, platform_id, summary, is_primary, is_own, time_zone, created_at)
      values (${newId('cal', at)}, ${connection}, ${platformId}, ${summary}, ${isPrimary}, ${isOwn}, ${timeZone}, ${at})
      on conflict (connection_id, platform_id) do update set summary = excluded.summary, is_primary = excluded.is_primary,
        is_own = excluded.is_own, time_zone = excluded.time_zone`.execute(tx)
  }
  const kept = new Set(listed.map(({ platformId }) => platformId))
  return (await listCalendars(tx, connection)).filter(({ platformId }) => !kept.has(platformId))
}

export async function dropCalendar(tx: Db, id: CalendarId): Promise<void> {
  await sql`delete from calendars where id = ${id}`.execute(tx)
}

export async function listCalendars(db: Db, connection: ConnectionId): Promise<Calendar[]> {
  const rows = await rowsOf<CalendarRow>(db)`
    select ${FIELDS} from calendars calendar where connection_id = ${connection} order by is_primary desc, id`
  return rows.map(calendarFrom)
}

/** `id` is ours or the provider's. */
export function hasCalendar(db: Db, user: UserId, id: string): Promise<boolean> {
  return hasRow(db)`select from calendars calendar join calendar_connections connection on connection.id = calendar.connection_id
    where connection.user_id = ${user} and ${id} in (calendar.id, calendar.platform_id) limit 1`
}

export type OwnedCalendar = Calendar & { readonly provider: CalendarProvider }

export async function listCalendarsOf(db: Db, user: UserId): Promise<OwnedCalendar[]> {
  const rows = await rowsOf<CalendarRow & Pick<OwnedCalendar, 'provider'>>(db)`
    select ${FIELDS}, provider from calendars calendar join calendar_connections connection on connection.id = connection_id
    where user_id = ${user} and state <> 'disconnected' order by connection.created_at, is_primary desc, calendar.id`
  return rows.map((row) => ({ ...calendarFrom(row), provider: row.provider }))
}

/** Starts a full read. Rows that it does not see were deleted at the provider. */
export async function beginRun(tx: Db, calendar: Calendar, windowUntil: Date | null): Promise<number> {
  const { run } = await onlyRow<{ run: number }>(tx)`
    update calendars set run = run + 1, sync_token = null, window_until = ${windowUntil} where id = ${calendar.id} returning run`
  return run
}

export async function writeToken(tx: Db, calendar: CalendarId, token: string): Promise<void> {
  await sql`update calendars set sync_token = ${token} where id = ${calendar}`.execute(tx)
}

export async function writeChannel(db: Db, calendar: CalendarId, channel: Channel | null): Promise<void> {
  const { id = null, resource = null, digest = null, until = null } = channel ?? {}
  await sql`update calendars set channel_id = ${id}, channel_resource = ${resource}, channel_digest = ${digest}, channel_until = ${until}
    where id = ${calendar}`.execute(db)
}

export async function findByChannel(db: Db, channelId: string): Promise<Calendar | null> {
  const row = await firstRow<CalendarRow>(db)`select ${FIELDS} from calendars calendar where channel_id = ${channelId}`
  return row && calendarFrom(row)
}

function calendarFrom({ channelId: id, resource, digest, until, ...calendar }: CalendarRow): Calendar {
  return { ...calendar, channel: id && resource !== null && digest && until ? { id, resource, digest, until } : null }
}
