// The log of deliveries with every attempt, newest first; resending; and deletion after the retention time.
import { sql } from 'kysely'
import type { WorkspaceId } from '../../../domain/bot.ts'
import { newId } from '../../../kit/id.ts'
import { type Db, inTransaction } from '../database.ts'
import { firstRow, idsOf } from '../query.ts'
import type { Endpoint } from './webhook-endpoints.ts'

export const DELIVERY_STATES = ['queued', 'sending', 'delivered', 'failed'] as const
type DeliveryState = (typeof DELIVERY_STATES)[number]

type LoggedAttempt = {
  readonly number: number
  readonly at: string
  readonly duration_ms: number
  readonly http_status: number | null
  readonly answer_head: string | null
  readonly error: string | null
}

export type LoggedDelivery = {
  readonly seq: number
  readonly eventId: string
  readonly event: string
  readonly botId: string | null
  readonly endpointId: string | null
  readonly url: string
  readonly state: DeliveryState
  readonly error: string | null
  readonly attempts: readonly LoggedAttempt[]
  readonly dueAt: Date
  readonly createdAt: Date
  readonly finishedAt: Date | null
}

export type DeliveryFilter = {
  readonly botId?: string | undefined
  readonly endpointId?: string | undefined
  readonly event?: string | undefined
  readonly state?: DeliveryState | undefined
  readonly before?: number | undefined
  readonly limit: number
}

export async function listDeliveries(db: Db, workspace: WorkspaceId, filter: DeliveryFilter): Promise<LoggedDelivery[]> {
  let query = db
    .selectFrom('deliveries')
    .innerJoin('events', 'events.id', 'deliveries.event_id')
    .select(['deliveries.seq', 'event_id as eventId', 'events.name as event', 'events.bot_id as botId', 'endpoint_id as endpointId', 'url'])
    .select(['state', 'last_error as error', 'due_at as dueAt', 'deliveries.created_at as createdAt', 'finished_at as finishedAt'])
    .select(
      sql<LoggedAttempt[]>`coalesce((select json_agg(it order by it.number) from (
        select number, at, duration_ms, http_status, answer_head, error from delivery_attempts where delivery_seq = deliveries.seq) it), '[]')`.as(
        'attempts',
      ),
    )
    .where('deliveries.workspace_id', '=', workspace)
  if (filter.botId) query = query.where('deliveries.bot_id', '=', filter.botId)
  if (filter.endpointId) query = query.where('endpoint_id', '=', filter.endpointId)
  if (filter.event) query = query.where('events.name', '=', filter.event)
  if (filter.state) query = query.where('state', '=', filter.state)
  if (filter.before !== undefined) query = query.where('deliveries.seq', '<', filter.before)
  return query.orderBy('deliveries.seq', 'desc').limit(filter.limit).execute()
}

export type Resend = 'queued' | 'unknown' | 'under way' | 'no endpoint'

/** Queues the same event to the same receiver again. */
export async function queueAgain(db: Db, workspace: WorkspaceId, seq: number): Promise<Resend> {
  return inTransaction(db, async (tx) => {
    const found = await firstRow<{ state: DeliveryState; hasReceiver: boolean }>(tx)`
      select state, endpoint_id is null or endpoint.id is not null as "hasReceiver"
      from deliveries left join webhook_endpoints as endpoint on endpoint.id = endpoint_id and disabled_at is null
      where seq = ${seq} and deliveries.workspace_id = ${workspace} for update of deliveries`
    if (!found) return 'unknown'
    if (found.state === 'sending') return 'under way'
    if (!found.hasReceiver) return 'no endpoint'
    await sql`update deliveries set state = 'queued', due_at = now(), finished_at = null, last_error = null where seq = ${seq}`.execute(tx)
    return 'queued'
  })
}

export type Span = { readonly from: Date; readonly before: Date }

/** Queues all events of a time span that the endpoint subscribes to, except those in progress. Returns their number; null: more than `most`. */
export async function queueSpan(
  db: Db,
  { id, workspaceId, events }: Endpoint,
  span: Span,
  { most, at }: { most: number; at: Date },
): Promise<number | null> {
  return inTransaction(db, async (tx) => {
    const ids = await idsOf(tx)`
      select id from events where id >= ${firstIdAt(span.from)} and id < ${firstIdAt(span.before)}
        and workspace_id = ${workspaceId} and bot_id is not null and (name = any(${events}) or '*' = any(${events}))
        and not exists (select from deliveries where event_id = events.id and endpoint_id = ${id} and state in ('queued', 'sending'))
      limit ${most + 1}`
    if (ids.length > most) return null
    await sql`insert into deliveries (event_id, workspace_id, bot_id, endpoint_id, url, receiver, due_at, created_at)
      select events.id, events.workspace_id, events.bot_id, endpoint.id, endpoint.url, endpoint.id, now(), ${at}
      from events, webhook_endpoints as endpoint where events.id = any(${ids}) and endpoint.id = ${id}
      order by events.seq`.execute(tx)
    return ids.length
  })
}

/** Deletes events older than `before` with their deliveries, at most `most`, and returns their number. */
export async function sweepEvents(db: Db, { before, most }: { before: Date; most: number }): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from events where id in (select id from events where id < ${firstIdAt(before)} order by id limit ${most})`.execute(db)
  return Number(numAffectedRows ?? 0)
}

/** Ids begin with their time: this prefix sorts before all ids of that moment and after all earlier ones. */
function firstIdAt(at: Date): string {
  return newId('msg', new Date(Math.max(0, at.getTime()))).slice(0, 'msg_'.length + 10)
}
