// Connected calendar accounts. A connection's row is its own queue of syncs.
import { sql } from 'kysely'
import type { ConnectionId, JsonObject, UserId, WorkspaceId } from '../../../domain/bot.ts'
import type { CalendarProvider } from '../../../domain/calendar.ts'
import type { Db } from '../database.ts'
import { firstRow, firstValue, hasRow, onlyRow, rowsOf } from '../query.ts'

export type Connection = {
  readonly id: ConnectionId
  readonly workspaceId: WorkspaceId
  readonly userId: UserId
  readonly provider: CalendarProvider
  readonly email: string
  readonly secret: Buffer
  readonly state: 'connected' | 'revoked' | 'disconnected'
  readonly lastError: string | null
  readonly fence: number
  readonly failures: number
  readonly syncedAt: Date | null
  readonly nextSyncAt: Date | null
  readonly plannedUntil: Date | null
  readonly createdAt: Date
}

export type NewConnection = Pick<Connection, 'id' | 'workspaceId' | 'userId' | 'provider' | 'email' | 'secret'> & {
  readonly botConfig: JsonObject
}

const FIELDS = sql`id, workspace_id as "workspaceId", user_id as "userId", provider, email, secret, state, last_error as "lastError", fence,
  failures, synced_at as "syncedAt", next_sync_at as "nextSyncAt", planned_until as "plannedUntil", created_at as "createdAt"`

/** Writes the connection, or renews the credentials of the user's connection with this account. */
export async function upsertConnection(tx: Db, it: NewConnection, at: Date): Promise<void> {
  await sql`insert into calendar_connections (id, workspace_id, user_id, provider, email, secret, state, bot_config, created_at)
    values (${it.id}, ${it.workspaceId}, ${it.userId}, ${it.provider}, ${it.email}, ${it.secret}, 'connected',
      ${JSON.stringify(it.botConfig)}, ${at})
    on conflict (id) do update set secret = excluded.secret, state = excluded.state, bot_config = excluded.bot_config,
      last_error = null, failures = 0`.execute(tx)
}

/** The user's connection with this account, in any state. */
export function findAccount(db: Db, user: UserId, provider: CalendarProvider, email: string): Promise<Connection | null> {
  return firstRow<Connection>(db)`
    select ${FIELDS} from calendar_connections where user_id = ${user} and provider = ${provider} and email = ${email}`
}

/** Connected and revoked ones. Of a disconnected one only the events may remain. */
export function listConnections(db: Db, user: UserId): Promise<Connection[]> {
  return rowsOf<Connection>(db)`
    select ${FIELDS} from calendar_connections where user_id = ${user} and state <> 'disconnected' order by created_at, id`
}

/** Whether the user ever connected a calendar whose events are kept. */
export function hasCalendars(db: Db, user: UserId): Promise<boolean> {
  return hasRow(db)`select from calendar_connections where user_id = ${user} limit 1`
}

const claim = (leaseSeconds: number) =>
  sql`next_sync_at = null, fence = fence + 1, claimed_until = now() + make_interval(secs => ${leaseSeconds})`

/** Claims due connections for `leaseSeconds`. A claim that is not renewed lapses. */
export function claimSyncs(db: Db, { limit, leaseSeconds }: { limit: number; leaseSeconds: number }): Promise<Connection[]> {
  return rowsOf<Connection>(db)`
    update calendar_connections set ${claim(leaseSeconds)} where id in (
      select id from calendar_connections where (next_sync_at <= now() and claimed_until is null) or claimed_until <= now()
      order by coalesce(next_sync_at, claimed_until) limit ${limit} for update skip locked
    ) returning ${FIELDS}`
}

/** Claims this connection even if it is claimed. The fence stops the older claim's writes. */
export function claimSync(db: Db, id: ConnectionId, leaseSeconds: number): Promise<Connection | null> {
  return firstRow<Connection>(db)`
    update calendar_connections set ${claim(leaseSeconds)} where id = ${id} and state = 'connected' returning ${FIELDS}`
}

export type SyncEnd = {
  readonly state: 'connected' | 'revoked'
  readonly error: string | null
  /** Null: not scheduled again. */
  readonly nextInSeconds: number | null
}

/** Ends a claim. A claim that is not the newest changes nothing. */
export async function endSync(db: Db, { id, fence }: Pick<Connection, 'id' | 'fence'>, end: SyncEnd): Promise<void> {
  const outcome = end.error ? sql`failures = failures + 1` : sql`failures = 0, synced_at = now()`
  // A push or another request may have made the connection due meanwhile.
  const next = end.nextInSeconds === null ? sql`null` : sql`least(next_sync_at, now() + make_interval(secs => ${end.nextInSeconds}))`
  await sql`update calendar_connections
    set state = ${end.state}, last_error = ${end.error}, ${outcome}, claimed_until = null, next_sync_at = ${next}
    where id = ${id} and fence = ${fence} and state <> 'disconnected'`.execute(db)
}

/** Renews a claim. False: it is no longer the newest. Inside a transaction the row stays locked until that ends. */
export function holdSync(tx: Db, { id, fence }: Pick<Connection, 'id' | 'fence'>, leaseSeconds: number): Promise<boolean> {
  return hasRow(tx)`update calendar_connections set claimed_until = now() + make_interval(secs => ${leaseSeconds})
    where id = ${id} and fence = ${fence} and state = 'connected' returning id`
}

export async function rewriteSecret(db: Db, id: ConnectionId, secret: Buffer): Promise<void> {
  await sql`update calendar_connections set secret = ${secret} where id = ${id}`.execute(db)
}

/** Makes a connection due now, or at the end of the sync in progress. */
export async function makeDue(db: Db, id: ConnectionId): Promise<void> {
  await sql`update calendar_connections set next_sync_at = now() where id = ${id} and state = 'connected'`.execute(db)
}

/** When the next connection can be claimed; null: none is waiting. */
export function nextSync(db: Db): Promise<Date | null> {
  return firstValue<Date>(db)`
    select min(coalesce(claimed_until, next_sync_at)) from calendar_connections
    where next_sync_at is not null or claimed_until is not null`
}

/** Records that events are planned until `until`. False: a re-plan was requested after `before` was read. */
export function markPlanned(tx: Db, id: ConnectionId, { before, until }: { before: Date | null; until: Date }): Promise<boolean> {
  return hasRow(tx)`update calendar_connections set planned_until = ${until}
    where id = ${id} and planned_until is not distinct from ${before}::timestamptz returning id`
}

/** Makes the next sync plan events from this moment again. */
export async function replanFrom(db: Db, id: ConnectionId, from: Date): Promise<void> {
  await sql`update calendar_connections set planned_until = ${from} where id = ${id} and planned_until > ${from}`.execute(db)
}

/** Makes the next sync plan all events of this user again. */
export async function replanUser(db: Db, user: UserId): Promise<void> {
  await sql`update calendar_connections set planned_until = null where user_id = ${user}`.execute(db)
}

/** Removes the secret and the queue. Removes the events unless they are kept, and returns their number. */
export async function dropConnection(tx: Db, id: ConnectionId, { keepEvents }: { keepEvents: boolean }): Promise<number> {
  if (keepEvents) {
    await sql`update calendar_connections
      set state = 'disconnected', secret = '', next_sync_at = null, claimed_until = null, last_error = null where id = ${id}`.execute(tx)
    await sql`update calendars
      set sync_token = null, channel_id = null, channel_resource = null, channel_digest = null, channel_until = null
      where connection_id = ${id}`.execute(tx)
    return 0
  }
  const { count } = await onlyRow<{ count: number }>(tx)`
    select count(*) as count from calendar_events where calendar_id in (select id from calendars where connection_id = ${id})`
  await sql`delete from calendar_connections where id = ${id}`.execute(tx)
  return count
}
