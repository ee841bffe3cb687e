// GET /healthz, /readyz and /metrics.

import { formatMetrics } from '../../operations/metrics.ts'
import type { Api, NodeDeps } from '../deps.ts'
import { ErrorAnswer } from '../schema.ts'
import { Health } from './schema.ts'

/** Below the usual health check timeout of load balancers. */
const ANSWER_WITHIN_MS = 1_000

export function healthRoutes(app: Api, deps: NodeDeps): void {
  const tags = ['Health']
  const security: [] = []

  app.get(
    '/healthz',
    { schema: { summary: 'Liveness: the process runs', operationId: 'getHealth', tags, security, response: { 200: Health } } },
    async () => ({
      status: 'ok',
    }),
  )

  const readiness = {
    summary: 'Readiness: the service can accept work',
    operationId: 'getReadiness',
    tags,
    security,
    response: { 200: Health, 503: { description: 'Not ready: `message` says why', ...ErrorAnswer } },
  }
  app.get('/readyz', { schema: readiness }, async (_request, reply) => {
    const message = await problemOf(deps)
    return message ? reply.code(503).send({ status: 'not ready', message }) : { status: 'ready' }
  })

  app.get('/metrics', { schema: { hide: true } }, async (request, reply) => {
    const { type, text } = await formatMetrics(deps.metrics, request.headers.accept ?? '')
    reply.type(type)
    return text
  })
}

async function problemOf({ draining, reachability, disk }: NodeDeps): Promise<string | null> {
  if (draining.aborted) return 'This process drains: it takes no new bots and stops soon.'
  return (await reachability.problem(ANSWER_WITHIN_MS)) ?? disk.problem()
}
