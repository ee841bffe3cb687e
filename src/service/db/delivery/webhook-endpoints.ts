// The workspaces' webhook endpoints: their subscriptions, and whether they are alive.
import { sql } from 'kysely'
import type { WorkspaceId } from '../../../domain/bot.ts'
import { type Db, inTransaction } from '../database.ts'
import { firstRow, rowsOf } from '../query.ts'

export const RETRIES = ['none', 'standard'] as const
type Retry = (typeof RETRIES)[number]

export const MOST_ENDPOINTS = 10

export type Endpoint = {
  readonly id: string
  readonly workspaceId: WorkspaceId
  readonly url: string
  readonly description: string | null
  readonly events: readonly string[]
  readonly retry: Retry
  readonly failingSince: Date | null
  readonly disabledAt: Date | null
  readonly disabledReason: string | null
  readonly createdAt: Date
  readonly updatedAt: Date
}

export type NewEndpoint = Pick<Endpoint, 'id' | 'workspaceId' | 'url' | 'description' | 'events' | 'retry'> & {
  readonly secret: Buffer
  readonly at: Date
}

/** False: the workspace has the most endpoints allowed. */
export async function insertEndpoint(
  db: Db,
  { id, workspaceId, url, description, events, retry, secret, at }: NewEndpoint,
): Promise<boolean> {
  return inTransaction(db, async (tx) => {
    // Of two concurrent inserts, the second counts the first.
    await sql`select from workspaces where id = ${workspaceId} for no key update`.execute(tx)
    const there = await rowsOf(tx)`select from webhook_endpoints where workspace_id = ${workspaceId}`
    if (there.length >= MOST_ENDPOINTS) return false
    await sql`insert into webhook_endpoints (id, workspace_id, url, description, events, retry, secret, created_at, updated_at)
      values (${id}, ${workspaceId}, ${url}, ${description}, ${events}, ${retry}, ${secret}, ${at}, ${at})`.execute(tx)
    return true
  })
}

const FIELDS = sql`id, workspace_id as "workspaceId", url, description, events, retry, failing_since as "failingSince",
  disabled_at as "disabledAt", disabled_reason as "disabledReason", created_at as "createdAt", updated_at as "updatedAt"`

export function listEndpoints(db: Db, workspace: WorkspaceId): Promise<Endpoint[]> {
  return rowsOf<Endpoint>(db)`select ${FIELDS} from webhook_endpoints where workspace_id = ${workspace} order by id`
}

export function findEndpoint(db: Db, workspace: WorkspaceId, id: string): Promise<Endpoint | null> {
  return firstRow<Endpoint>(db)`select ${FIELDS} from webhook_endpoints where id = ${id} and workspace_id = ${workspace}`
}

export type EndpointChange = Partial<Pick<Endpoint, 'url' | 'description' | 'events' | 'retry'>> & {
  /** Null: enables it, and resets its failures. */
  readonly disabled?: string | null
  readonly secret?: Buffer
}

/**
 * Queued deliveries follow the change or end. Not one transaction: the recording of an attempt locks deliveries before the endpoint, so the
 * opposite order would deadlock. A delivery that a crash leaves queued for a deleted endpoint fails when it is claimed.
 */
export async function changeEndpoint(db: Db, { id, workspaceId }: Endpoint, change: EndpointChange, at: Date): Promise<void> {
  const { events, disabled, ...plain } = change
  await db
    .updateTable('webhook_endpoints')
    .set({
      ...plain,
      ...(events && { events: [...events] }),
      ...(disabled === null && { disabled_at: null, disabled_reason: null, failing_since: null }),
      // The first reason for disabling stays.
      ...(disabled && {
        disabled_at: sql<Date>`coalesce(disabled_at, ${at})`,
        disabled_reason: sql<string>`coalesce(disabled_reason, ${disabled})`,
      }),
      updated_at: at,
    })
    .where('id', '=', id)
    .where('workspace_id', '=', workspaceId)
    .execute()
  if (plain.url !== undefined) await hurryWaiting(db, id)
  if (disabled) await endWaiting(db, id, disabled)
}

export async function deleteEndpoint(db: Db, { id }: Endpoint): Promise<void> {
  await sql`delete from webhook_endpoints where id = ${id}`.execute(db)
  await endWaiting(db, id, 'The endpoint was deleted.')
}

/** Disables the endpoint if nothing was delivered to it for `days`. Null: it stays enabled. */
export function disableFailing(
  tx: Db,
  id: string,
  { days, reason, at }: { days: number; reason: string; at: Date },
): Promise<Endpoint | null> {
  return firstRow<Endpoint>(tx)`update webhook_endpoints set disabled_at = ${at}, disabled_reason = ${reason}, updated_at = ${at}
    where id = ${id} and disabled_at is null and failing_since < ${new Date(at.getTime() - days * 24 * 60 * 60_000)} returning ${FIELDS}`
}

export async function endWaiting(db: Db, endpointId: string, why: string): Promise<void> {
  await sql`update deliveries set state = 'failed', last_error = ${why}, finished_at = now()
    where endpoint_id = ${endpointId} and state = 'queued'`.execute(db)
}

async function hurryWaiting(db: Db, endpointId: string): Promise<void> {
  await sql`update deliveries set due_at = now() where endpoint_id = ${endpointId} and state = 'queued'`.execute(db)
}
