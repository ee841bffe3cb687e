// Limits failed requests per address: without a valid key, or invalid ones on routes that anyone may call.
import type { FastifyError, FastifyRequest } from 'fastify'
import { ServiceError, tooMany } from '../../../domain/errors.ts'
import { networkOf } from '../../../kit/addresses.ts'
import type { Api, NodeDeps } from '../deps.ts'
import { KNOWN_BODY_BYTES } from './json-body.ts'

const WINDOW_MS = 60_000
/** The oldest address is dropped beyond this, to bound memory. */
const MOST_ADDRESSES = 10_000

export type FailedAttempts = {
  /** Counts a failure. Returns its error, or a 429 once the address has failed too often. */
  count<Failure extends Error>(address: string, error: Failure): Failure | ServiceError
  /** Returns a 429 while further failures of the address would get one. */
  refusalOf(address: string): ServiceError | null
}

type Options = {
  readonly perMinute: number
  readonly now: () => Date
  /** The sentence of the 429, without the time to wait. */
  readonly message: string
}

export function countFailedAttempts({ perMinute, now, message }: Options): FailedAttempts {
  const failures = new Map<string, { count: number; readonly until: number }>()

  function windowOf(address: string): { count: number; readonly until: number } {
    const network = networkOf(address)
    const open = failures.get(network)
    const at = now().getTime()
    if (open && open.until > at) return open
    const window = { count: 0, until: at + WINDOW_MS }
    failures.delete(network)
    failures.set(network, window)
    for (const oldest of failures.keys()) if (failures.size > MOST_ADDRESSES) failures.delete(oldest)
    return window
  }

  const refusal = (until: number): ServiceError => tooMany(message, until - now().getTime())

  return {
    count(address, error) {
      const window = windowOf(address)
      window.count += 1
      return window.count <= perMinute ? error : refusal(window.until)
    },
    refusalOf(address) {
      const window = failures.get(networkOf(address))
      return window && window.until > now().getTime() && window.count >= perMinute ? refusal(window.until) : null
    },
  }
}

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

/** Routes that anyone may call, such as signing in. Routes that authenticate before the body is read accept a larger body. */
function isOpen({ method, routeOptions }: FastifyRequest): boolean {
  return method !== 'GET' && method !== 'HEAD' && (routeOptions.bodyLimit ?? 0) < KNOWN_BODY_BYTES
}
