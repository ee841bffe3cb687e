// The delivery log, of which a delivery can be sent again.
import Type, { type Static } from 'typebox'
import { ServiceError } from '../../../domain/errors.ts'
import { type DeliveryFilter, type LoggedDelivery, listDeliveries, queueAgain, type Resend } from '../../db/delivery/delivery-log.ts'
import { callerOf } from '../auth.ts'
import type { Api, ApiDeps } from '../deps.ts'
import { readCursor, writeCursor } from '../http/cursor.ts'
import { idIn } from '../http/path-id.ts'
import { Nullable, operationsOf, problems } from '../schema.ts'
import { Delivery, DeliveryParams, DeliveryQuery } from './schema.ts'

const operation = operationsOf('Webhooks')

export function deliveryRoutes(app: Api, deps: ApiDeps): void {
  const listing = operation('listDeliveries', 'List webhook deliveries, newest first', {
    querystring: DeliveryQuery,
    response: {
      200: Type.Object({ deliveries: Type.Array(Delivery), hasNextPage: Type.Boolean(), nextCursor: Nullable(Type.String()) }),
      ...problems('bot_not_found', 'endpoint_not_found'),
    },
  })
  app.get('/webhook_deliveries', { schema: listing }, async (request) => {
    const { workspaceId } = callerOf(request)
    const { bot_id, endpoint_id, event, status: state, cursor, limit = 50 } = request.query
    const filter: DeliveryFilter = {
      botId: bot_id === undefined ? undefined : idIn(bot_id),
      endpointId: endpoint_id === undefined ? undefined : idIn(endpoint_id, 'endpoint_not_found'),
      event,
      state,
      before: readCursor(cursor, 1, ([id = '']) => deps.deliveryIds.seqOf(workspaceId, id)),
      limit: limit + 1,
    }
    const found = await listDeliveries(deps.db, workspaceId, filter)
    const page = found.slice(0, limit)
    const last = found.length > limit ? page.at(-1) : undefined
    const idOf = ({ seq }: LoggedDelivery) => deps.deliveryIds.idOf(workspaceId, seq)
    return {
      deliveries: page.map((it) => ({ delivery_id: idOf(it), ...present(it) })),
      hasNextPage: last !== undefined,
      nextCursor: last ? writeCursor(idOf(last)) : null,
    }
  })

  const resending = operation('resendDelivery', 'Resend a delivery with the same event_id', {
    params: DeliveryParams,
    response: { 200: Type.Object({ message: Type.String(), delivery_id: Type.String() }), ...problems('delivery_not_found', 'conflict') },
  })
  app.post('/webhook_deliveries/:delivery_id/resend', { schema: resending }, async (request) => {
    const { delivery_id } = request.params
    const { workspaceId } = callerOf(request)
    const seq = deps.deliveryIds.seqOf(workspaceId, delivery_id)
    const outcome = seq === null ? 'unknown' : await queueAgain(deps.db, workspaceId, seq)
    if (outcome !== 'queued') throw REFUSALS[outcome]()
    deps.fleet.onNews()
    return { message: 'Delivery queued', delivery_id }
  })
}

const REFUSALS: Readonly<Record<Exclude<Resend, 'queued'>, () => ServiceError>> = {
  unknown: () => new ServiceError('delivery_not_found'),
  'under way': () => new ServiceError('conflict', 'The delivery is being sent now. Try again when it has ended.'),
  'no endpoint': () => new ServiceError('conflict', 'The webhook endpoint of this delivery is disabled or deleted. Enable it first.'),
}

function present(it: LoggedDelivery): Omit<Static<typeof Delivery>, 'delivery_id'> {
  return {
    endpoint_id: it.endpointId,
    event_id: it.eventId,
    event: it.event,
    bot_id: it.botId,
    url: it.url,
    status: it.state,
    error: it.error,
    attempts: it.attempts.map((attempt) => ({ ...attempt, at: new Date(attempt.at).toISOString() })),
    next_attempt_at: it.state === 'queued' ? it.dueAt.toISOString() : null,
    created_at: it.createdAt.toISOString(),
    finished_at: it.finishedAt?.toISOString() ?? null,
  }
}
