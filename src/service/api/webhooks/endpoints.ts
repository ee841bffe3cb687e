// The workspace's webhook endpoints: create, list, change, rotate, test, replay, delete.

import type { FastifyRequest } from 'fastify'
import Type, { type Static } from 'typebox'
import { EVENT_NAMES } from '../../../domain/announcements.ts'
import { counted } from '../../../domain/counted.ts'
import { invalid, ServiceError } from '../../../domain/errors.ts'
import { parseInstant } from '../../../domain/instant.ts'
import { queueSpan } from '../../db/delivery-log.ts'
import {
  type EndpointChange as Change,
  changeEndpoint,
  deleteEndpoint,
  type Endpoint as Found,
  findEndpoint,
  listEndpoints,
  MOST_ENDPOINTS,
} from '../../db/webhook-endpoints.ts'
import { createEndpoint, rotateSecret, sendTest } from '../../delivery/endpoints.ts'
import { callerOf } from '../auth.ts'
import type { Api, ApiDeps } from '../deps.ts'
import { idIn } from '../path-id.ts'
import { problems } from '../schema.ts'
import { urlRules } from '../url-rules.ts'
import { Endpoint, type EndpointAnswer, EndpointChange, EndpointParams, EndpointWithSecret, NewEndpoint, Replay } from './schema.ts'

const tags = ['Webhooks']
const params = EndpointParams
/** More would block the delivery queue of all workspaces for minutes. */
const MAX_REPLAYED = 10_000

export function webhookEndpointRoutes(app: Api, deps: ApiDeps): void {
  addRoute(app, deps)
  readRoutes(app, deps)
  changeRoutes(app, deps)
  testRoute(app, deps)
  replayRoute(app, deps)
}

function addRoute(app: Api, deps: ApiDeps): void {
  const schema = {
    summary: 'Add a webhook endpoint',
    operationId: 'createWebhookEndpoint',
    tags,
    body: NewEndpoint,
    response: { 201: EndpointWithSecret, ...problems('invalid', 'conflict') },
  }
  app.post('/webhook_endpoints', { schema }, async (request, reply) => {
    const { url, events, description = null, retry = 'none' } = request.body
    const { workspaceId } = callerOf(request)
    const wanted = { workspaceId, url: urlIn(deps, url), events: eventsIn(events), description, retry, at: deps.now() }
    const made = await createEndpoint(deps, wanted)
    if (!made) throw new ServiceError('conflict', `A workspace can have at most ${MOST_ENDPOINTS} webhook endpoints. Delete one first.`)
    return reply.code(201).send({ ...present(await found(deps, request, made.id)), secret: made.secret })
  })
}

function readRoutes(app: Api, deps: ApiDeps): void {
  const listing = {
    summary: 'List the webhook endpoints',
    operationId: 'listWebhookEndpoints',
    tags,
    response: { 200: Type.Object({ endpoints: Type.Array(Endpoint) }), ...problems() },
  }
  app.get('/webhook_endpoints', { schema: listing }, async (request) => ({
    endpoints: (await listEndpoints(deps.db, callerOf(request).workspaceId)).map(present),
  }))

  const reading = {
    summary: 'Read a webhook endpoint',
    operationId: 'getWebhookEndpoint',
    tags,
    params,
    response: { 200: Endpoint, ...problems('endpoint_not_found') },
  }
  app.get('/webhook_endpoints/:endpoint_id', { schema: reading }, async (request) => present(await endpointIn(deps, request)))
}

function changeRoutes(app: Api, deps: ApiDeps): void {
  const changing = {
    summary: 'Change, enable or disable a webhook endpoint',
    operationId: 'updateWebhookEndpoint',
    tags,
    params,
    body: EndpointChange,
    response: { 200: Endpoint, ...problems('invalid', 'endpoint_not_found') },
  }
  app.patch('/webhook_endpoints/:endpoint_id', { schema: changing }, async (request) => {
    const endpoint = await endpointIn(deps, request)
    await changeEndpoint(deps.db, endpoint, changeIn(deps, request.body), deps.now())
    return present(await found(deps, request, endpoint.id))
  })

  const rotating = {
    summary: 'Rotate the secret of a webhook endpoint; the old one is invalid at once',
    operationId: 'rotateWebhookSecret',
    tags,
    params,
    response: { 200: EndpointWithSecret, ...problems('endpoint_not_found') },
  }
  app.post('/webhook_endpoints/:endpoint_id/rotate_secret', { schema: rotating }, async (request) => {
    const secret = await rotateSecret(deps, await endpointIn(deps, request), deps.now())
    return { ...present(await endpointIn(deps, request)), secret }
  })

  const deleting = {
    summary: 'Delete a webhook endpoint; its delivery log stays',
    operationId: 'deleteWebhookEndpoint',
    tags,
    params,
    response: { 200: Type.Object({ message: Type.String(), endpoint_id: Type.String() }), ...problems('endpoint_not_found') },
  }
  app.delete('/webhook_endpoints/:endpoint_id', { schema: deleting }, async (request) => {
    const endpoint = await endpointIn(deps, request)
    await deleteEndpoint(deps.db, endpoint)
    return { message: 'Webhook endpoint deleted', endpoint_id: endpoint.id }
  })
}

function testRoute(app: Api, deps: ApiDeps): void {
  const schema = {
    summary: 'Send a test event to a webhook endpoint',
    description: 'It is delivered like any event. The delivery log shows the result.',
    operationId: 'testWebhookEndpoint',
    tags,
    params,
    response: {
      200: Type.Object({ message: Type.String(), event_id: Type.String(), delivery_id: Type.String() }),
      ...problems('endpoint_not_found', 'conflict'),
    },
  }
  app.post('/webhook_endpoints/:endpoint_id/test', { schema }, async (request) => {
    const endpoint = enabled(await endpointIn(deps, request))
    const { eventId, seq } = await sendTest(deps.db, endpoint, deps.now())
    deps.fleet.onNews()
    const delivery_id = deps.deliveryIds.idOf(endpoint.workspaceId, seq)
    return { message: 'Test event queued', event_id: eventId, delivery_id }
  })
}

function replayRoute(app: Api, deps: ApiDeps): void {
  const schema = {
    summary: 'Resend the events of a time range to a webhook endpoint',
    description: 'Includes events from while the endpoint was disabled or did not exist. Events are kept for 30 days.',
    operationId: 'replayWebhookEvents',
    tags,
    params,
    body: Replay,
    response: {
      200: Type.Object({ message: Type.String(), queued: Type.Integer() }),
      ...problems('invalid', 'endpoint_not_found', 'conflict'),
    },
  }
  app.post('/webhook_endpoints/:endpoint_id/replay', { schema }, async (request) => {
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

const endpointIn = (deps: ApiDeps, request: EndpointRequest): Promise<Found> =>
  found(deps, request, idIn(request.params.endpoint_id, 'endpoint_not_found'))

async function found({ db }: ApiDeps, request: FastifyRequest, id: string): Promise<Found> {
  const endpoint = await findEndpoint(db, callerOf(request).workspaceId, id)
  if (!endpoint) throw new ServiceError('endpoint_not_found')
  return endpoint
}

function enabled(endpoint: Found): Found {
  if (endpoint.disabledAt) throw new ServiceError('conflict', 'The webhook endpoint is disabled. Enable it first.')
  return endpoint
}

function changeIn(deps: ApiDeps, { url, events, enabled, ...plain }: Static<typeof EndpointChange>): Change {
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

function present(it: Found): EndpointAnswer {
  return {
    ...{ id: it.id, endpoint_id: it.id, url: it.url, description: it.description, events: [...it.events], retry: it.retry },
    enabled: it.disabledAt === null,
    disabled_at: it.disabledAt?.toISOString() ?? null,
    disabled_reason: it.disabledReason,
    failing_since: it.failingSince?.toISOString() ?? null,
    created_at: it.createdAt.toISOString(),
    updated_at: it.updatedAt.toISOString(),
  }
}
