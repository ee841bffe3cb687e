// The workspace's webhook endpoints: create, list, change, rotate, test, replay, delete.
import type { FastifyRequest } from 'fastify'
import Type, { type Static } from 'typebox'
import { EVENT_NAMES } from '../../../domain/announcements.ts'
import { counted } from '../../../domain/counted.ts'
import { invalid, ServiceError } from '../../../domain/errors.ts'
import { parseInstant } from '../../../domain/instant.ts'
import { queueSpan } from '../../db/delivery/delivery-log.ts'
import * as stored from '../../db/delivery/webhook-endpoints.ts'
import { createEndpoint, rotateSecret, sendTest } from '../../delivery/endpoints.ts'
import { callerOf } from '../auth.ts'
import type { Api, ApiDeps } from '../deps.ts'
import { idIn } from '../http/path-id.ts'
import { urlRules } from '../http/url-rules.ts'
import { operationsOf, problems } from '../schema.ts'
import { Endpoint, type EndpointAnswer, EndpointChange, EndpointParams, EndpointWithSecret, NewEndpoint, Replay } from './schema.ts'

const operation = operationsOf('Webhooks')
const params = EndpointParams
/** More would block the delivery queue of all workspaces for minutes. */
const MAX_REPLAYED = 10_000

export function webhookEndpointRoutes(app: Api, deps: ApiDeps): void {
  addAndReadRoutes(app, deps)
  changeRoutes(app, deps)
  sendRoutes(app, deps)
}

function addAndReadRoutes(app: Api, deps: ApiDeps): void {
  const adding = operation('createWebhookEndpoint', 'Add a webhook endpoint', {
    body: NewEndpoint,
    response: { 201: EndpointWithSecret, ...problems('conflict') },
  })
  app.post('/webhook_endpoints', { schema: adding }, async (request, reply) => {
    const { url, events, description = null, retry = 'none' } = request.body
    const { workspaceId } = callerOf(request)
    const wanted = { workspaceId, url: urlIn(deps, url), events: eventsIn(events), description, retry, at: deps.now() }
    const made = await createEndpoint(deps, wanted)
    if (!made)
      throw new ServiceError('conflict', `A workspace can have at most ${stored.MOST_ENDPOINTS} webhook endpoints. Delete one first.`)
    return reply.code(201).send({ ...present(await found(deps, request, made.id)), secret: made.secret })
  })

  const listing = operation('listWebhookEndpoints', 'List the webhook endpoints', {
    response: { 200: Type.Object({ endpoints: Type.Array(Endpoint) }), ...problems() },
  })
  app.get('/webhook_endpoints', { schema: listing }, async (request) => ({
    endpoints: (await stored.listEndpoints(deps.db, callerOf(request).workspaceId)).map(present),
  }))

  const reading = operation('getWebhookEndpoint', 'Read a webhook endpoint', {
    params,
    response: { 200: Endpoint, ...problems('endpoint_not_found') },
  })
  app.get('/webhook_endpoints/:endpoint_id', { schema: reading }, async (request) => present(await endpointIn(deps, request)))
}

function changeRoutes(app: Api, deps: ApiDeps): void {
  const changing = operation('updateWebhookEndpoint', 'Change, enable or disable a webhook endpoint', {
    params,
    body: EndpointChange,
    response: { 200: Endpoint, ...problems('endpoint_not_found') },
  })
  app.patch('/webhook_endpoints/:endpoint_id', { schema: changing }, async (request) => {
    const endpoint = await endpointIn(deps, request)
    await stored.changeEndpoint(deps.db, endpoint, changeIn(deps, request.body), deps.now())
    return present(await found(deps, request, endpoint.id))
  })

  const rotating = operation('rotateWebhookSecret', 'Rotate the secret of a webhook endpoint; the old one is invalid at once', {
    params,
    response: { 200: EndpointWithSecret, ...problems('endpoint_not_found') },
  })
  app.post('/webhook_endpoints/:endpoint_id/rotate_secret', { schema: rotating }, async (request) => {
    const secret = await rotateSecret(deps, await endpointIn(deps, request), deps.now())
    return { ...present(await endpointIn(deps, request)), secret }
  })

  const deleting = operation('deleteWebhookEndpoint', 'Delete a webhook endpoint; its delivery log stays', {
    params,
    response: { 200: Type.Object({ message: Type.String(), endpoint_id: Type.String() }), ...problems('endpoint_not_found') },
  })
  app.delete('/webhook_endpoints/:endpoint_id', { schema: deleting }, async (request) => {
    const endpoint = await endpointIn(deps, request)
    await stored.deleteEndpoint(deps.db, endpoint)
    return { message: 'Webhook endpoint deleted', endpoint_id: endpoint.id }
  })
}

function sendRoutes(app: Api, deps: ApiDeps): void {
  const testing = operation('testWebhookEndpoint', 'Send a test event to a webhook endpoint', {
    description: 'It is delivered like any event. The delivery log shows the result.',
    params,
    response: {
      200: Type.Object({ message: Type.String(), event_id: Type.String(), delivery_id: Type.String() }),
      ...problems('endpoint_not_found', 'conflict'),
    },
  })
  app.post('/webhook_endpoints/:endpoint_id/test', { schema: testing }, async (request) => {
    const endpoint = enabled(await endpointIn(deps, request))
    const { eventId, seq } = await sendTest(deps.db, endpoint, deps.now())
    deps.fleet.onNews()
    const delivery_id = deps.deliveryIds.idOf(endpoint.workspaceId, seq)
    return { message: 'Test event queued', event_id: eventId, delivery_id }
  })

  const replaying = operation('replayWebhookEvents', 'Resend the events of a time range to a webhook endpoint', {
    description: 'Includes events from while the endpoint was disabled or did not exist. Events are kept for 30 days.',
    params,
    body: Replay,
    response: {
      200: Type.Object({ message: Type.String(), queued: Type.Integer() }),
      ...problems('endpoint_not_found', 'conflict'),
    },
  })
  app.post('/webhook_endpoints/:endpoint_id/replay', { schema: replaying }, async (request) => {
    const endpoint = await endpointIn(deps, request)
    const span = { from: instantIn('from', request.body.from), before: instantIn('to', request.body.to) }
    if (span.from >= span.before) throw invalid('from must be before to.')
    const queued = await queueSpan(deps.db, enabled(endpoint), span, { most: MAX_REPLAYED, at: deps.now() })
    if (queued === null) throw invalid(`from and to cover more than ${MAX_REPLAYED} events. Choose a shorter range.`)
    deps.fleet.onNews()
    return { message: `${counted(queued, 'event')} queued`, queued }
  })
}

type EndpointRequest = FastifyRequest<{ Params: Static<typeof EndpointParams> }>

const endpointIn = (deps: ApiDeps, request: EndpointRequest): Promise<stored.Endpoint> =>
  found(deps, request, idIn(request.params.endpoint_id, 'endpoint_not_found'))

async function found({ db }: ApiDeps, request: FastifyRequest, id: string): Promise<stored.Endpoint> {
  const endpoint = await stored.findEndpoint(db, callerOf(request).workspaceId, id)
  if (!endpoint) throw new ServiceError('endpoint_not_found')
  return endpoint
}

function enabled(endpoint: stored.Endpoint): stored.Endpoint {
  if (endpoint.disabledAt) throw new ServiceError('conflict', 'The webhook endpoint is disabled. Enable it first.')
  return endpoint
}

function changeIn(deps: ApiDeps, { url, events, enabled, ...plain }: Static<typeof EndpointChange>): stored.EndpointChange {
  return {
    ...plain,
    ...(url !== undefined && { url: urlIn(deps, url) }),
    ...(events && { events: eventsIn(events) }),
    ...(enabled !== undefined && { disabled: enabled ? null : 'Disabled on request.' }),
  }
}

function urlIn({ config }: ApiDeps, url: string): string {
  return urlRules(config.ALLOW_INSECURE_URLS).callback('url', url) ?? url
}

function eventsIn(names: readonly string[]): string[] {
  const unknown = names.find((name) => name !== '*' && !EVENT_NAMES.some((known) => known === name))
  if (unknown !== undefined)
    throw invalid(`events must not contain ${JSON.stringify(unknown)}. Use * or some of ${EVENT_NAMES.join(', ')}.`)
  return [...new Set(names)]
}

function instantIn(field: string, text: string): Date {
  const at = parseInstant(text, { offset: 'optional' })
  if (!at) throw invalid(`${field} must be an ISO 8601 date and time, for example 2026-11-15T09:00:00Z.`)
  return at
}

function present(it: stored.Endpoint): EndpointAnswer {
  return {
    id: it.id,
    endpoint_id: it.id,
    url: it.url,
    description: it.description,
    events: [...it.events],
    retry: it.retry,
    enabled: it.disabledAt === null,
    disabled_at: it.disabledAt?.toISOString() ?? null,
    disabled_reason: it.disabledReason,
    failing_since: it.failingSince?.toISOString() ?? null,
    created_at: it.createdAt.toISOString(),
    updated_at: it.updatedAt.toISOString(),
  }
}
