// The log of deliveries: what was sent where, every attempt, newest first.
import { sql } from 'kysely'
import type { WorkspaceId } from '../../domain/bot.ts'
import type { Db } from './database.ts'

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
  readonly botId: string
  readonly url: string
  readonly state: DeliveryState
  readonly attempts: readonly LoggedAttempt[]
  readonly dueAt: Date
  readonly createdAt: Date
  readonly finishedAt: Date | null
}

export type DeliveryFilter = {
  readonly botId?: string | undefined
  readonly state?: DeliveryState | undefined
  readonly before?: number | undefined
  readonly limit: number
}

export async function listDeliveries(db: Db, workspace: WorkspaceId, filter: DeliveryFilter): Promise<LoggedDelivery[]> {
  let query = db
    .selectFrom('deliveries')
    .innerJoin('events', 'events.id', 'deliveries.event_id')
    .select(['deliveries.seq', 'event_id as eventId', 'events.name as event', 'deliveries.bot_id as botId', 'url', 'state'])
    .select(['due_at as dueAt', 'deliveries.created_at as createdAt', 'finished_at as finishedAt'])
    .select(
      sql<LoggedAttempt[]>`coalesce((select json_agg(it order by it.number) from (
        select number, at, duration_ms, http_status, answer_head, error from delivery_attempts where delivery_seq = deliveries.seq) it), '[]')`.as(
        'attempts',
      ),
    )
    .where('deliveries.workspace_id', '=', workspace)
  if (filter.botId) query = query.where('deliveries.bot_id', '=', filter.botId)
  if (filter.state) query = query.where('state', '=', filter.state)
  if (filter.before !== undefined) query = query.where('deliveries.seq', '<', filter.before)
  return query.orderBy('deliveries.seq', 'desc').limit(filter.limit).execute()
}
