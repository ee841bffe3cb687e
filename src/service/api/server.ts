// Builds the HTTP server: hooks, error handling and routes.
import { join } from 'node:path'
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import Fastify, { type FastifyBaseLogger, type FastifyError, LogController } from 'fastify'
import { ServiceError } from '../../domain/errors.ts'
import { newId } from '../../kit/id.ts'
import { retiredZoomTokenRoutes } from './account/retired-zoom-tokens.ts'
import { settingsRoutes } from './account/settings.ts'
import { usageRoutes } from './account/usage.ts'
import { operatorRoutes } from './admin/routes.ts'
import { withoutPrefix } from './alias-paths.ts'
import { authenticate, authenticateOperator } from './auth.ts'
import { commandRoutes } from './bots/commands.ts'
import { createBotRoute } from './bots/create/route.ts'
import { CreateBotBody } from './bots/create/schema.ts'
import { botListRoute } from './bots/list.ts'
import { meetingRoutes } from './bots/meeting/routes.ts'
import { artefactRoutes } from './bots/recordings/routes.ts'
import { botRemovalRoutes, botRoutes } from './bots/routes.ts'
import { summaryRoute } from './bots/summary.ts'
import { calendarRoutes } from './calendar/connections.ts'
import { calendarEventRoutes } from './calendar/events.ts'
import { calendarPushRoutes } from './calendar/push.ts'
import { calendarScheduleRoutes } from './calendar/schedule.ts'
import { scheduledBotRoutes } from './calendar/scheduled-bots.ts'
import { dashboardPages, iconRoute } from './dashboard/pages.ts'
import { dashboardRoutes } from './dashboard/routes.ts'
import type { Api, ApiDeps, NodeDeps } from './deps.ts'
import { healthRoutes } from './health/routes.ts'
import { addRetryAfter, answerClientError, answerError } from './http/answer-errors.ts'
import { arrivalLimits, limitUnfinished } from './http/arrival.ts'
import { countFailedAttempts, type FailedAttempts, limitInvalidRequests } from './http/failed-attempts.ts'
import { acceptBodies, acceptLargeBodies, OPEN_BODY_BYTES } from './http/json-body.ts'
import { limitRate } from './http/rate-limit.ts'
import { compileSerializer } from './http/serializer.ts'
import { compileBody, compileValidator } from './http/validation.ts'
import { internalRoutes } from './internal/routes.ts'
import { loginDomainRoutes } from './logins/domains.ts'
import { loginRoutes } from './logins/routes.ts'
import { mediaRoutes } from './media/routes.ts'
import { describe, describeDashboard } from './openapi/routes.ts'
import { roomLinkRoutes, roomPageRoutes } from './rooms/routes.ts'
import { speechProviderRoutes } from './speech-providers/routes.ts'
import { ssoRoutes } from './sso/routes.ts'
import { transcriptRoutes } from './transcripts/routes.ts'
import { deliveryRoutes } from './webhooks/deliveries.ts'
import { webhookEndpointRoutes } from './webhooks/endpoints.ts'
import { eventFeedRoute } from './webhooks/event-feed.ts'

const DASHBOARD = join(import.meta.dirname, '..', '..', '..', 'web', 'dist')

/** Also served without /api/v1. */
const CALENDAR_ROUTES = [scheduledBotRoutes, calendarRoutes, calendarEventRoutes, calendarScheduleRoutes]

const ROUTES = [
  createBotRoute,
  botRoutes,
  botListRoute,
  botRemovalRoutes,
  artefactRoutes,
  meetingRoutes,
  commandRoutes,
  summaryRoute,
  transcriptRoutes,
  roomLinkRoutes,
  ...CALENDAR_ROUTES,
  webhookEndpointRoutes,
  deliveryRoutes,
  eventFeedRoute,
  speechProviderRoutes,
  loginDomainRoutes,
  loginRoutes,
  usageRoutes,
  retiredZoomTokenRoutes,
  settingsRoutes,
]

const WITHOUT_KEY = 'Too many requests without a valid API key from this address. Check the Authorization header.'

/** On shutdown, open requests are closed after this, because the rest of the service stops after the server. */
const FINISH_WITHIN_MS = 3_000

/** The server of a process without the API: health checks, and requests of other nodes. */
export function createNodeServer(deps: NodeDeps): Api {
  const app = openServer(deps)
  healthRoutes(app, deps)
  internalRoutes(app, deps)
  return app
}

function openServer(deps: NodeDeps): Api {
  const app = Fastify({
    loggerInstance: deps.log as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true }),
    // Trust one proxy: earlier addresses in X-Forwarded-For come from the client.
    trustProxy: deps.config.TRUST_PROXY && ((_address: string, hop: number) => hop === 0),
    ...arrivalLimits(deps.config.REQUEST_TIMEOUT_SECONDS * 1000),
    genReqId: () => newId('req', deps.now()),
    bodyLimit: OPEN_BODY_BYTES,
    // Longer than any URL, so that overlong ids get the route's own 404.
    routerOptions: { maxParamLength: 16_384 },
    frameworkErrors: (error, request, reply) =>
      void answerError(error, request, reply.headers({ 'x-request-id': request.id, 'x-content-type-options': 'nosniff' })),
    clientErrorHandler: answerClientError,
    forceCloseConnections: 'idle',
  }).withTypeProvider<TypeBoxTypeProvider>()
  app.addHook('preClose', async () => void setTimeout(() => app.server.closeAllConnections(), FINISH_WITHIN_MS).unref())

  app.decorateRequest('caller', null)
  app.decorateRequest('wording', null)
  app.setValidatorCompiler(compileValidator)
  app.setSerializerCompiler(compileSerializer)
  const countInvalid = limitInvalidRequests(app, deps)
  app.setErrorHandler<FastifyError | ServiceError>((error, request, reply) => answerError(countInvalid(error, request), request, reply))
  app.setNotFoundHandler(() => {
    throw new ServiceError('not_found')
  })
  acceptBodies(app)
  observe(app, deps)
  if (!deps.config.TRUST_PROXY) limitUnfinished(app, deps.config.REQUEST_TIMEOUT_SECONDS * 1000)
  return app
}

export async function createServer(deps: ApiDeps, version: string): Promise<Api> {
  const app = openServer(deps)
  await describe(app, { version, headerPrefix: deps.config.WEBHOOK_HEADER_PREFIX })
  healthRoutes(app, deps)
  roomPageRoutes(app, deps)
  calendarPushRoutes(app, deps)
  mediaRoutes(app, deps)
  internalRoutes(app, deps)
  const failed = countFailedAttempts({ perMinute: deps.config.AUTH_FAILURES_PER_MINUTE, now: deps.now, message: WITHOUT_KEY })
  const guarded = { ...deps, failed }
  await inScope(app, '', (scope) => ssoRoutes(scope, deps))
  await inScope(app, '/api/v1', (scope) => addRoutes(scope, guarded))
  // The specification shows some calendar paths without the prefix, so all of them exist without it.
  await inScope(app, '', (scope) => addUnprefixed(scope, guarded))
  await addOperatorRoutes(app, guarded)
  iconRoute(app, DASHBOARD)
  if (deps.config.DASHBOARD === 'on') await addDashboard(app, deps, version)
  // The largest schema. The first bot of a new service is the one that its operator watches.
  app.addHook('onListen', async () => void setImmediate(() => compileBody(CreateBotBody)))
  return app
}

async function addDashboard(app: Api, deps: ApiDeps, version: string): Promise<void> {
  await describeDashboard(app, version)
  dashboardPages(app, { folder: DASHBOARD, mediaOrigin: bucketOrigin(deps.config) })
  await inScope(app, '/dashboard/v1', (scope) => dashboardRoutes(scope, deps))
}

/** Adds routes with hooks and content types of their own. */
async function inScope(app: Api, prefix: string, add: (scope: Api) => void | Promise<void>): Promise<void> {
  await app.register(async (scope) => add(scope.withTypeProvider<TypeBoxTypeProvider>()), { prefix })
}

function bucketOrigin({ S3_BUCKET, S3_DIRECT_READS, S3_ENDPOINT }: ApiDeps['config']): string | null {
  if (!S3_BUCKET || !S3_DIRECT_READS) return null
  return S3_ENDPOINT ? new URL(S3_ENDPOINT).origin : 'https://*.amazonaws.com'
}

type GuardedDeps = ApiDeps & { readonly failed: FailedAttempts }

/** The order matters: the rate limit counts per authenticated key. */
async function guard(app: Api, deps: GuardedDeps): Promise<void> {
  acceptLargeBodies(app)
  app.addHook('onRequest', authenticate({ ...deps, hasDashboard: deps.config.DASHBOARD === 'on' }))
  await limitRate(app, deps.config.RATE_LIMIT_PER_MINUTE)
}

async function addRoutes(app: Api, deps: GuardedDeps): Promise<void> {
  await guard(app, deps)
  for (const add of ROUTES) add(app, deps)
}

async function addUnprefixed(app: Api, deps: GuardedDeps): Promise<void> {
  await guard(app, deps)
  app.addHook('onRoute', (route) => {
    route.schema = withoutPrefix(route.schema)
  })
  for (const add of CALENDAR_ROUTES) add(app, deps)
}

async function addOperatorRoutes(app: Api, deps: GuardedDeps): Promise<void> {
  const { ADMIN_TOKEN } = deps.config
  if (!ADMIN_TOKEN) return
  await inScope(app, '/admin/v1', (scope) => {
    acceptLargeBodies(scope)
    scope.addHook('onRequest', authenticateOperator(ADMIN_TOKEN, deps.failed))
    operatorRoutes(scope, deps)
  })
}

function observe(app: Api, { metrics }: NodeDeps): void {
  app.addHook('onRequest', async (request, reply) => {
    reply.headers({ 'x-request-id': request.id, 'x-content-type-options': 'nosniff' })
    // First, so that unknown paths give 404 before authentication and body checks.
    if (request.is404) throw new ServiceError('not_found')
  })
  app.addHook('onSend', addRetryAfter)
  app.addHook('onResponse', async (request, reply) => {
    const route = request.routeOptions.url ?? 'unknown'
    metrics.requests.observe({ method: request.method, route, status: reply.statusCode }, reply.elapsedTime / 1000)
    request.log.debug({ method: request.method, route, status: reply.statusCode, ms: Math.round(reply.elapsedTime) }, 'answered')
  })
}
