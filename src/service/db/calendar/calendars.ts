// The calendars of a connection: how far each has been read, and its push channel.
import { type Selectable, sql } from 'kysely'
import type { CalendarId, ConnectionId, UserId } from '../../../domain/bot.ts'
import type { CalendarProvider } from '../../../domain/calendar.ts'
import { newId } from '../../../kit/id.ts'
import type { Db } from '../database.ts'
import type { Tables } from '../tables.ts'

export type Calendar = {
  readonly id: CalendarId
  readonly connectionId: ConnectionId
  readonly platformId: string
  readonly summary: string
  readonly isPrimary: boolean
  readonly isOwn: boolean
  readonly timeZone: string
  readonly syncToken: string | null
  readonly windowUntil: Date | null
  readonly run: number
  readonly channel: Channel | null
}

export type Channel = { readonly id: string; readonly resource: string; readonly digest: Buffer; readonly until: Date }

export type ListedCalendar = Pick<Calendar, 'platformId' | 'summary' | 'isPrimary' | 'isOwn' | 'timeZone'>

/** Writes the calendars that the provider lists, and returns those that it no longer lists. */
export async function writeCalendars(tx: Db, connection: ConnectionId, listed: readonly ListedCalendar[], at: Date): Promise<Calendar[]> {
  for (const { platformId, summary, isPrimary, isOwn, timeZone } of listed) {
    const known = { summary, is_primary: isPrimary, is_own: isOwn, time_zone: timeZone }
    const place = { id: newId('cal', at), connection_id: connection, platform_id: platformId, created_at: at }
    const unread = {
      sync_token: null,
      window_until: null,
      channel_id: null,
      channel_resource: null,
      channel_digest: null,
      channel_until: null,
    }
    await tx
      .insertInto('calendars')
      .values({ ...place, ...known, ...unread })
      .onConflict((conflict) => conflict.columns(['connection_id', 'platform_id']).doUpdateSet(known))
      .execute()
  }
  const kept = new Set(listed.map(({ platformId }) => platformId))
  return (await listCalendars(tx, connection)).filter(({ platformId }) => !kept.has(platformId))
}

export async function dropCalendar(tx: Db, id: CalendarId): Promise<void> {
  await tx.deleteFrom('calendars').where('id', '=', id).execute()
}

export async function listCalendars(db: Db, connection: ConnectionId): Promise<Calendar[]> {
  const query = db.selectFrom('calendars').selectAll().where('connection_id', '=', connection)
  return (await query.orderBy('is_primary', 'desc').orderBy('id').execute()).map(calendarFrom)
}

/** `id` is ours or the provider's. */
export async function hasCalendar(db: Db, user: UserId, id: string): Promise<boolean> {
  const { rows } = await sql`select from calendars calendar join calendar_connections connection on connection.id = calendar.connection_id
    where connection.user_id = ${user} and ${id} in (calendar.id, calendar.platform_id) limit 1`.execute(db)
  return rows.length > 0
}

export type OwnedCalendar = Calendar & { readonly provider: CalendarProvider }

export async function listCalendarsOf(db: Db, user: UserId): Promise<OwnedCalendar[]> {
  const rows = await db
    .selectFrom('calendars')
    .innerJoin('calendar_connections', 'calendar_connections.id', 'calendars.connection_id')
    .selectAll('calendars')
    .select('provider')
    .where('user_id', '=', user)
    .where('state', '<>', 'disconnected')
    .orderBy('calendar_connections.created_at')
    .orderBy('is_primary', 'desc')
    .orderBy('calendars.id')
    .execute()
  return rows.map((row) => ({ ...calendarFrom(row), provider: row.provider }))
}

/** Starts a full read. Rows that it does not see were deleted at the provider. */
export async function beginRun(tx: Db, calendar: Calendar, windowUntil: Date | null): Promise<number> {
  const { run } = await tx
    .updateTable('calendars')
    .set(({ eb }) => ({ run: eb('run', '+', 1), sync_token: null, window_until: windowUntil }))
    .where('id', '=', calendar.id)
    .returning('run')
    .executeTakeFirstOrThrow()
  return run
}

export async function writeToken(tx: Db, calendar: CalendarId, token: string): Promise<void> {
  await tx.updateTable('calendars').set({ sync_token: token }).where('id', '=', calendar).execute()
}

export async function writeChannel(db: Db, calendar: CalendarId, channel: Channel | null): Promise<void> {
  await db
    .updateTable('calendars')
    .set({
      channel_id: channel?.id ?? null,
      channel_resource: channel?.resource ?? null,
      channel_digest: channel?.digest ?? null,
      channel_until: channel?.until ?? null,
    })
    .where('id', '=', calendar)
    .execute()
}

export async function findByChannel(db: Db, channelId: string): Promise<Calendar | null> {
  const row = await db.selectFrom('calendars').selectAll().where('channel_id', '=', channelId).executeTakeFirst()
  return row ? calendarFrom(row) : null
}

function calendarFrom(row: Selectable<Tables['calendars']>): Calendar {
  const { channel_id: id, channel_resource: resource, channel_digest: digest, channel_until: until } = row
  return {
    id: row.id as CalendarId,
    connectionId: row.connection_id as ConnectionId,
    platformId: row.platform_id,
    summary: row.summary,
    isPrimary: row.is_primary,
    isOwn: row.is_own,
    timeZone: row.time_zone,
    syncToken: row.sync_token,
    windowUntil: row.window_until,
    run: row.run,
    channel: id && resource !== null && digest && until ? { id, resource, digest, until } : null,
  }
}
