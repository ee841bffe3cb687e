// Routes that anyone may call, such as signing in: invalid requests count against their address.
import type { FastifyError, FastifyRequest } from 'fastify'
import { ServiceError } from '../../domain/errors.ts'
import type { Api, NodeDeps } from './deps.ts'
import { countFailedAttempts } from './failed-attempts.ts'
import { KNOWN_BODY_BYTES } from './json-body.ts'

const INVALID: ReadonlySet<number> = new Set([400, 413, 415])
const MESSAGE = 'Too many invalid requests from this address.'

/** Returns a function that turns the error of an invalid request into a 429 once its address has sent too many. */
export function limitInvalidRequests(app: Api, { config, now }: Pick<NodeDeps, 'config' | 'now'>) {
  const invalid = countFailedAttempts({ perMinute: config.AUTH_FAILURES_PER_MINUTE, now, message: MESSAGE })
  // Runs after authentication and before the body is read.
  app.addHook('preParsing', async (request) => {
    const refusal = isOpen(request) ? invalid.refusalOf(request.ip) : null
    if (refusal) throw refusal
  })
  return (error: FastifyError | ServiceError, request: FastifyRequest): FastifyError | ServiceError => {
    const status = error instanceof ServiceError ? error.http : error.statusCode
    return isOpen(request) && INVALID.has(status ?? 0) ? invalid.count(request.ip, error) : error
  }
}

/** Routes that authenticate before the body is read accept a larger body. */
function isOpen({ method, routeOptions }: FastifyRequest): boolean {
  return method !== 'GET' && method !== 'HEAD' && (routeOptions.bodyLimit ?? 0) < KNOWN_BODY_BYTES
}
