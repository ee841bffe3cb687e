// The HTTP server: hooks in order, errors in one shape, routes in their scopes.
import { join } from 'node:path'
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import Fastify, { type FastifyBaseLogger, LogController } from 'fastify'
import { ServiceError } from '../../domain/errors.ts'
import { newId } from '../../kit/id.ts'
import { withoutPrefix } from './alias-paths.ts'
import { answerClientError, answerError, sayWhenToRetry } from './answer-errors.ts'
import { arrivalLimits, limitUnfinished } from './arrival.ts'
import { authenticate, authenticateOperator } from './auth.ts'
import { dashboardPages } from './dashboard-pages.ts'
import type { Api, ApiDeps } from './deps.ts'
import { countFailedAttempts, type FailedAttempts } from './failed-attempts.ts'
import { acceptBodies } from './json-body.ts'
import { describe } from './openapi.ts'
import { limitRate } from './rate-limit.ts'
import { accountRoutes } from './routes/account.ts'
import { artefactRoutes } from './routes/artefacts.ts'
import { botListRoute } from './routes/bot-list.ts'
import { botRemovalRoutes } from './routes/bot-removal.ts'
import { botRoutes } from './routes/bots.ts'
import { calendarRoutes } from './routes/calendar.ts'
import { calendarEventRoutes } from './routes/calendar-events.ts'
import { calendarPushRoutes } from './routes/calendar-push.ts'
import { calendarScheduleRoutes } from './routes/calendar-schedule.ts'
import { commandRoutes } from './routes/commands.ts'
import { createBotRoute } from './routes/create-bot.ts'
import { dashboardRoutes } from './routes/dashboard/routes.ts'
import { deliveryRoutes } from './routes/deliveries.ts'
import { eventRoutes } from './routes/events.ts'
import { healthRoutes } from './routes/health.ts'
import { internalRoutes } from './routes/internal.ts'
import { loginDomainRoutes } from './routes/login-domains.ts'
import { loginRoutes } from './routes/logins.ts'
import { mediaRoutes } from './routes/media.ts'
import { meetingRoutes } from './routes/meetings.ts'
import { operatorRoutes } from './routes/operator.ts'
import { roomRoutes } from './routes/room.ts'
import { roomLinkRoutes } from './routes/rooms.ts'
import { scheduledBotRoutes } from './routes/scheduled-bots.ts'
import { speechProviderRoutes } from './routes/speech-providers.ts'
import { ssoRoutes } from './routes/sso.ts'
import { summaryRoute } from './routes/summary.ts'
import { transcriptRoutes } from './routes/transcripts.ts'
import { webhookEndpointRoutes } from './routes/webhook-endpoints.ts'
import { problems } from './schemas/common.ts'
import { compileSerializer } from './serialization.ts'
import { compileValidator } from './validation.ts'

/** The page as `npm start` builds it. */
const DASHBOARD = join(import.meta.dirname, '..', '..', '..', 'web', 'dist')

/** Served without /api/v1, too. */
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
  eventRoutes,
  speechProviderRoutes,
  loginDomainRoutes,
  loginRoutes,
  accountRoutes,
  retiredRoutes,
]

/** Who is still asking or reading after this is cut off: the rest of the service stops after its front door. */
const FINISH_WITHIN_MS = 3_000

export async function createServer(deps: ApiDeps, version: string): Promise<Api> {
  const app = Fastify({
    loggerInstance: deps.log as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true }),
    // One proxy: addresses before the one that it saw are the client's own claim.
    trustProxy: deps.config.TRUST_PROXY && ((_address: string, hop: number) => hop === 0),
    ...arrivalLimits(deps.config.REQUEST_TIMEOUT_SECONDS * 1000),
    genReqId: () => newId('req', deps.now()),
    bodyLimit: 1024 * 1024,
    // Longer than a URL can be: an id of any length reaches its route, which does not know it.
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
  app.setErrorHandler(answerError)
  app.setNotFoundHandler(() => {
    throw new ServiceError('not_found')
  })
  acceptBodies(app)
  observe(app, deps)
  if (!deps.config.TRUST_PROXY) limitUnfinished(app, deps.config.REQUEST_TIMEOUT_SECONDS * 1000)

  await describe(app, { version, headerPrefix: deps.config.WEBHOOK_HEADER_PREFIX })
  healthRoutes(app, deps)
  roomRoutes(app, deps)
  calendarPushRoutes(app, deps)
  mediaRoutes(app, deps)
  internalRoutes(app, deps)
  const failed = countFailedAttempts({ perMinute: deps.config.AUTH_FAILURES_PER_MINUTE, now: deps.now })
  const guarded = { ...deps, failed }
  await app.register(async (scope) => ssoRoutes(scope.withTypeProvider<TypeBoxTypeProvider>(), deps))
  await app.register(async (scope) => addRoutes(scope.withTypeProvider<TypeBoxTypeProvider>(), guarded), { prefix: '/api/v1' })
  // The specification shows some calendar paths without the prefix, so all of them answer there too.
  await app.register(async (scope) => addUnprefixed(scope.withTypeProvider<TypeBoxTypeProvider>(), guarded))
  await addOperatorRoutes(app, guarded)
  if (deps.config.DASHBOARD === 'on') await addDashboard(app, deps)
  return app
}

async function addDashboard(app: Api, deps: ApiDeps): Promise<void> {
  dashboardPages(app, { folder: DASHBOARD, mediaOrigin: bucketOrigin(deps.config) })
  await app.register(async (scope) => dashboardRoutes(scope.withTypeProvider<TypeBoxTypeProvider>(), deps), { prefix: '/dashboard/v1' })
}

function bucketOrigin({ S3_BUCKET, S3_DIRECT_READS, S3_ENDPOINT }: ApiDeps['config']): string | null {
  if (!S3_BUCKET || !S3_DIRECT_READS) return null
  return S3_ENDPOINT ? new URL(S3_ENDPOINT).origin : 'https://*.amazonaws.com'
}

type GuardedDeps = ApiDeps & { readonly failed: FailedAttempts }

/** Authentication, then the rate limit, then everything else. */
async function guard(app: Api, deps: GuardedDeps): Promise<void> {
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
    route.schema = withoutPrefix(route.schema, route.url)
  })
  for (const add of CALENDAR_ROUTES) add(app, deps)
}

async function addOperatorRoutes(app: Api, deps: GuardedDeps): Promise<void> {
  const { ADMIN_TOKEN } = deps.config
  if (!ADMIN_TOKEN) return
  await app.register(
    async (scope) => {
      scope.addHook('onRequest', authenticateOperator(ADMIN_TOKEN, deps.failed))
      operatorRoutes(scope.withTypeProvider<TypeBoxTypeProvider>(), deps)
    },
    { prefix: '/admin/v1' },
  )
}

function retiredRoutes(app: Api): void {
  for (const token of ['zak', 'obf']) {
    const schema = {
      summary: `Retired: hosted ${token.toUpperCase()} tokens`,
      operationId: `get${token === 'zak' ? 'Zak' : 'Obf'}Token`,
      deprecated: true,
      tags: ['Account'],
      response: problems('retired'),
    }
    app.get(`/zoom/${token}-token`, { schema }, async () => {
      throw new ServiceError('retired')
    })
  }
}

function observe(app: Api, { metrics }: ApiDeps): void {
  app.addHook('onRequest', async (request, reply) => {
    reply.headers({ 'x-request-id': request.id, 'x-content-type-options': 'nosniff' })
    // Before anything of the request is judged: what is not there has no rules.
    if (request.is404) throw new ServiceError('not_found')
  })
  app.addHook('onSend', sayWhenToRetry)
  app.addHook('onResponse', async (request, reply) => {
    const route = request.routeOptions.url ?? 'unknown'
    metrics.requests.observe({ method: request.method, route, status: reply.statusCode }, reply.elapsedTime / 1000)
    request.log.debug({ method: request.method, route, status: reply.statusCode, ms: Math.round(reply.elapsedTime) }, 'answered')
  })
}
