// GET /healthz, /readyz and /metrics.
import Type from 'typebox'
import { formatMetrics } from '../../operations/metrics.ts'
import type { Api, NodeDeps } from '../deps.ts'
import { ErrorAnswer, NamedObject, operationsOf } from '../schema.ts'

const operation = operationsOf('Health', { security: [] })

const Health = NamedObject('Health', { status: Type.String() })

/** Below the usual health check timeout of load balancers. */
const ANSWER_WITHIN_MS = 1_000

export function healthRoutes(app: Api, deps: NodeDeps): void {
  const liveness = operation('getHealth', 'Liveness: the process runs', { response: { 200: Health } })
  app.get('/healthz', { schema: liveness }, async () => ({ status: 'ok' }))

  const readiness = operation('getReadiness', 'Readiness: the service can accept work', {
    response: { 200: Health, 503: { description: 'Not ready: `message` says why', ...ErrorAnswer } },
  })
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
