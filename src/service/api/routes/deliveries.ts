// The delivery log: which webhook went where, and what the receiver answered.
import Type from 'typebox'
import { invalid } from '../../../domain/errors.ts'
import { DELIVERY_STATES, type DeliveryFilter, type LoggedDelivery, listDeliveries } from '../../db/delivery-log.ts'
import { callerOf } from '../auth.ts'
import { readCursor, writeCursor } from '../cursor.ts'
import type { Api, ApiDeps } from '../deps.ts'
import { Moment, Nullable, problems } from '../schemas/common.ts'
import { idIn } from './find-bot.ts'

const Attempt = Type.Object({
  number: Type.Integer(),
  at: Moment,
  duration_ms: Type.Integer(),
  http_status: Nullable(Type.Integer()),
  answer_head: Nullable(Type.String({ description: 'The first bytes of the answer.' })),
  error: Nullable(Type.String()),
})

const Delivery = Type.Object({
  delivery_id: Type.String(),
  event_id: Type.String(),
  event: Type.String(),
  bot_id: Type.String(),
  url: Type.String(),
  status: Type.Enum([...DELIVERY_STATES]),
  attempts: Type.Array(Attempt),
  next_attempt_at: Nullable(Moment),
  created_at: Moment,
  finished_at: Nullable(Moment),
})

const Query = Type.Object({
  bot_id: Type.Optional(Type.String()),
  status: Type.Optional(Type.Enum([...DELIVERY_STATES])),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 50 })),
  cursor: Type.Optional(Type.String({ description: 'nextCursor of the page before.' })),
})

export function deliveryRoutes(app: Api, deps: ApiDeps): void {
  const schema = {
    summary: 'The log of webhook deliveries, newest first',
    operationId: 'listDeliveries',
    tags: ['Webhooks'],
    querystring: Query,
    response: {
      200: Type.Object({ deliveries: Type.Array(Delivery), hasNextPage: Type.Boolean(), nextCursor: Nullable(Type.String()) }),
      ...problems('invalid', 'bot_not_found'),
    },
  }
  app.get('/webhook_deliveries', { schema }, async (request) => {
    const { bot_id, status: state, cursor, limit = 50 } = request.query
    const filter: DeliveryFilter = {
      botId: bot_id === undefined ? undefined : idIn(bot_id),
      state,
      before: cursor === undefined ? undefined : positionIn(cursor),
      limit: limit + 1,
    }
    const found = await listDeliveries(deps.db, callerOf(request).workspaceId, filter)
    const page = found.slice(0, limit)
    const last = found.length > limit ? page.at(-1) : undefined
    return { deliveries: page.map(present), hasNextPage: last !== undefined, nextCursor: last ? writeCursor([String(last.seq)]) : null }
  })
}

function positionIn(cursor: string): number {
  const seq = Number(readCursor(cursor, 1)[0])
  if (!Number.isSafeInteger(seq)) throw invalid('cursor is not one that this list gave out.')
  return seq
}

function present(it: LoggedDelivery) {
  return {
    delivery_id: `dlv_${it.seq.toString(36).padStart(10, '0')}`,
    event_id: it.eventId,
    event: it.event,
    bot_id: it.botId,
    url: it.url,
    status: it.state,
    attempts: it.attempts.map((attempt) => ({ ...attempt, at: new Date(attempt.at).toISOString() })),
    next_attempt_at: it.state === 'queued' ? it.dueAt.toISOString() : null,
    created_at: it.createdAt.toISOString(),
    finished_at: it.finishedAt?.toISOString() ?? null,
  }
}
