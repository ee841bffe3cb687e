// For whoever watches the service: alive, ready, and in numbers.
import Type from 'typebox'
import type { Api, ApiDeps } from '../deps.ts'
import { ErrorAnswer } from '../schemas/common.ts'

/** A balancer asks often, and waits for nobody. */
const ANSWER_WITHIN_MS = 1_000

export const Health = Type.Object({ status: Type.String() })

export function healthRoutes(app: Api, deps: ApiDeps): void {
  const tags = ['Health']
  const security: [] = []

  app.get(
    '/healthz',
    { schema: { summary: 'The process is alive', operationId: 'getHealth', tags, security, response: { 200: Health } } },
    async () => ({
      status: 'ok',
    }),
  )

  const readiness = {
    summary: 'The service can do its work',
    operationId: 'getReadiness',
    tags,
    security,
    response: { 200: Health, 503: { description: 'Not ready: the message says why', ...ErrorAnswer } },
  }
  app.get('/readyz', { schema: readiness }, async (_request, reply) => {
    const message = (await deps.reachability.isAnswering(ANSWER_WITHIN_MS)) ? deps.disk.problem() : 'The database does not answer.'
    return message ? reply.code(503).send({ status: 'not ready', message }) : { status: 'ready' }
  })

  app.get('/metrics', { schema: { hide: true } }, async (_request, reply) => {
    reply.type(deps.metrics.registry.contentType)
    return deps.metrics.registry.metrics()
  })
}
