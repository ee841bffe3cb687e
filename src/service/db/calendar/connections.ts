// Connected calendar accounts. A connection's row is its own queue of syncs.
import { type Selectable, sql } from 'kysely'
import type { ConnectionId, JsonObject, UserId, WorkspaceId } from '../../../domain/bot.ts'
import type { CalendarProvider } from '../../../domain/calendar.ts'
import type { Db } from '../database.ts'
import type { Tables } from '../tables.ts'

export type Connection = {
  readonly id: ConnectionId
  readonly workspaceId: WorkspaceId
  readonly userId: UserId
  readonly provider: CalendarProvider
  readonly email: string
  readonly secret: Buffer
  readonly state: 'connected' | 'revoked' | 'disconnected'
  readonly lastError: string | null
  readonly botConfig: JsonObject
  readonly fence: number
  readonly failures: number
  readonly syncedAt: Date | null
  readonly nextSyncAt: Date | null
  readonly plannedUntil: Date | null
  readonly createdAt: Date
}

export type NewConnection = Pick<Connection, 'id' | 'workspaceId' | 'userId' | 'provider' | 'email' | 'secret' | 'botConfig'>

/** Writes the connection, or renews the credentials of the user's connection with this account. */
export async function upsertConnection(tx: Db, it: NewConnection, at: Date): Promise<void> {
  await tx
    .insertInto('calendar_connections')
    .values({
      ...{ id: it.id, workspace_id: it.workspaceId, user_id: it.userId, provider: it.provider, email: it.email, secret: it.secret },
      ...{ state: 'connected', last_error: null, bot_config: JSON.stringify(it.botConfig), created_at: at, next_sync_at: null },
      ...{ claimed_until: null, synced_at: null, planned_until: null },
    })
    .onConflict((conflict) =>
      conflict.column('id').doUpdateSet({
        secret: it.secret,
        state: 'connected',
        last_error: null,
        bot_config: JSON.stringify(it.botConfig),
        failures: 0,
      }),
    )
    .execute()
}

/** The user's connection with this account, in any state. */
export async function findAccount(db: Db, user: UserId, provider: CalendarProvider, email: string): Promise<Connection | null> {
  const query = db.selectFrom('calendar_connections').selectAll().where('user_id', '=', user).where('provider', '=', provider)
  const row = await query.where('email', '=', email).executeTakeFirst()
  return row ? connectionFrom(row) : null
}

/** Connected and revoked ones. Of a disconnected one only the events may remain. */
export async function listConnections(db: Db, user: UserId): Promise<Connection[]> {
  const query = db.selectFrom('calendar_connections').selectAll().where('user_id', '=', user).where('state', '<>', 'disconnected')
  return (await query.orderBy('created_at').orderBy('id').execute()).map(connectionFrom)
}

/** Whether the user ever connected a calendar whose events are kept. */
export async function hasCalendars(db: Db, user: UserId): Promise<boolean> {
  return (await db.selectFrom('calendar_connections').select('id').where('user_id', '=', user).executeTakeFirst()) !== undefined
}

/** Claims due connections for `leaseSeconds`. A claim that is not renewed lapses. */
export async function claimSyncs(db: Db, { limit, leaseSeconds }: { limit: number; leaseSeconds: number }): Promise<Connection[]> {
  const { rows } = await sql<Selectable<Tables['calendar_connections']>>`
    update calendar_connections set next_sync_at = null, fence = fence + 1, claimed_until = now() + make_interval(secs => ${leaseSeconds})
    where id in (
      select id from calendar_connections where (next_sync_at <= now() and claimed_until is null) or claimed_until <= now()
      order by coalesce(next_sync_at, claimed_until) limit ${limit} for update skip locked
    ) returning *`.execute(db)
  return rows.map(connectionFrom)
}

/** Claims this connection even if it is claimed. The fence stops the older claim's writes. */
export async function claimSync(db: Db, id: ConnectionId, leaseSeconds: number): Promise<Connection | null> {
  const { rows } = await sql<Selectable<Tables['calendar_connections']>>`
    update calendar_connections set next_sync_at = null, fence = fence + 1, claimed_until = now() + make_interval(secs => ${leaseSeconds})
    where id = ${id} and state = 'connected' returning *`.execute(db)
  return rows[0] ? connectionFrom(rows[0]) : null
}

export type SyncEnd = {
  readonly state: 'connected' | 'revoked'
  readonly error: string | null
  /** Null: not scheduled again. */
  readonly nextInSeconds: number | null
}

/** Ends a claim. A claim that is not the newest changes nothing. */
export async function endSync(db: Db, { id, fence }: Pick<Connection, 'id' | 'fence'>, end: SyncEnd): Promise<void> {
  await db
    .updateTable('calendar_connections')
    .set({
      state: end.state,
      last_error: end.error,
      failures: end.error ? sql`failures + 1` : 0,
      claimed_until: null,
      // A push or another request may have made the connection due meanwhile.
      next_sync_at: end.nextInSeconds === null ? null : sql`least(next_sync_at, now() + make_interval(secs => ${end.nextInSeconds}))`,
      ...(!end.error && { synced_at: sql<Date>`now()` }),
    })
    .where('id', '=', id)
    .where('fence', '=', fence)
    .where('state', '<>', 'disconnected')
    .execute()
}

/** Renews a claim. False: it is no longer the newest. Inside a transaction the row stays locked until that ends. */
export async function holdSync(tx: Db, { id, fence }: Pick<Connection, 'id' | 'fence'>, leaseSeconds: number): Promise<boolean> {
  const row = await tx
    .updateTable('calendar_connections')
    .set({ claimed_until: sql`now() + make_interval(secs => ${leaseSeconds})` })
    .where('id', '=', id)
    .where('fence', '=', fence)
    .where('state', '=', 'connected')
    .returning('id')
    .executeTakeFirst()
  return row !== undefined
}

export async function rewriteSecret(db: Db, id: ConnectionId, secret: Buffer): Promise<void> {
  await db.updateTable('calendar_connections').set({ secret }).where('id', '=', id).execute()
}

/** Makes a connection due now, or at the end of the sync in progress. */
export async function makeDue(db: Db, id: ConnectionId): Promise<void> {
  await sql`update calendar_connections set next_sync_at = now() where id = ${id} and state = 'connected'`.execute(db)
}

/** When the next connection can be claimed; null: none is waiting. */
export async function nextSync(db: Db): Promise<Date | null> {
  const { rows } = await sql<{ at: Date | null }>`
    select min(coalesce(claimed_until, next_sync_at)) as at from calendar_connections
    where next_sync_at is not null or claimed_until is not null`.execute(db)
  return rows[0]?.at ?? null
}

/** Records that events are planned until `until`. False: a re-plan was requested after `before` was read. */
export async function markPlanned(tx: Db, id: ConnectionId, { before, until }: { before: Date | null; until: Date }): Promise<boolean> {
  const { rows } = await sql`update calendar_connections set planned_until = ${until}
    where id = ${id} and planned_until is not distinct from ${before}::timestamptz returning id`.execute(tx)
  return rows.length > 0
}

/** Makes the next sync plan events from this moment again. */
export async function replanFrom(db: Db, id: ConnectionId, from: Date): Promise<void> {
  await sql`update calendar_connections set planned_until = ${from} where id = ${id} and planned_until > ${from}`.execute(db)
}

/** Makes the next sync plan all events of this user again. */
export async function replanUser(db: Db, user: UserId): Promise<void> {
  await db.updateTable('calendar_connections').set({ planned_until: null }).where('user_id', '=', user).execute()
}

/** Removes the secret and the queue. Removes the events unless they are kept, and returns their number. */
export async function dropConnection(tx: Db, id: ConnectionId, { keepEvents }: { keepEvents: boolean }): Promise<number> {
  if (keepEvents) {
    const gone = { state: 'disconnected' as const, secret: Buffer.alloc(0), next_sync_at: null, claimed_until: null, last_error: null }
    await tx.updateTable('calendar_connections').set(gone).where('id', '=', id).execute()
    await tx
      .updateTable('calendars')
      .set({ sync_token: null, ...NO_CHANNEL })
      .where('connection_id', '=', id)
      .execute()
    return 0
  }
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from calendar_events where calendar_id in (select id from calendars where connection_id = ${id})`.execute(tx)
  await tx.deleteFrom('calendar_connections').where('id', '=', id).execute()
  return rows[0]?.count ?? 0
}

const NO_CHANNEL = { channel_id: null, channel_resource: null, channel_digest: null, channel_until: null }

function connectionFrom(row: Selectable<Tables['calendar_connections']>): Connection {
  return {
    id: row.id as ConnectionId,
    workspaceId: row.workspace_id as WorkspaceId,
    userId: row.user_id as UserId,
    provider: row.provider,
    email: row.email,
    secret: row.secret,
    state: row.state,
    lastError: row.last_error,
    botConfig: row.bot_config,
    fence: row.fence,
    failures: row.failures,
    syncedAt: row.synced_at,
    nextSyncAt: row.next_sync_at,
    plannedUntil: row.planned_until,
    createdAt: row.created_at,
  }
}
