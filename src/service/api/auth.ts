// Authenticates requests: the API key in `Authorization: Token …`, a dashboard session, or the operator's token.
import { timingSafeEqual } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import type { UserId } from '../../domain/bot.ts'
import { ServiceError } from '../../domain/errors.ts'
import { may } from '../../domain/roles.ts'
import type { Keys } from '../accounts/keys.ts'
import { digestOfToken } from '../accounts/secret-token.ts'
import type { KeyHolder } from '../db/accounts/keys.ts'
import type { FailedAttempts } from './http/failed-attempts.ts'
import { hasSession, type SessionDeps, sessionCaller } from './session-auth.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by the auth hook. Read it with `callerOf`. */
    caller: KeyHolder | null
  }
}

type AuthDeps = SessionDeps & { readonly keys: Keys; readonly failed: FailedAttempts; readonly hasDashboard: boolean }

/** 401 without a key, 403 with a wrong, revoked or malformed key or for a change by a viewer, 429 after too many of either from one address. */
export function authenticate({ keys, failed, hasDashboard, ...sessions }: AuthDeps) {
  return async (request: FastifyRequest): Promise<void> => {
    if (hasDashboard && !request.headers.authorization && hasSession(request)) {
      const caller = await sessionCaller(request, sessions).catch((error: unknown) => {
        throw error instanceof ServiceError && error.code === 'not_signed_in' ? failed.count(request.ip, error) : error
      })
      request.caller = allowed(request, caller)
      return
    }
    const token = tokenIn(request)
    const holder = token instanceof ServiceError ? null : await keys.recognise(token)
    if (!holder) throw failed.count(request.ip, token instanceof ServiceError ? token : new ServiceError('forbidden'))
    request.caller = allowed(request, holder)
  }
}

/** Returns the caller, or throws a 403 if it is a viewer, or a key of one, and the request changes something. */
function allowed(request: FastifyRequest, caller: KeyHolder): KeyHolder {
  if (caller.role === null || may(caller.role, 'change') || isRead(request)) return caller
  throw new ServiceError('forbidden', 'Viewers of a workspace and their API keys can only read. Ask an owner for another role.')
}

/** remove_bot is a GET that changes something. */
function isRead({ method, routeOptions }: FastifyRequest): boolean {
  return (method === 'GET' || method === 'HEAD') && !routeOptions.url?.endsWith('/remove_bot')
}

export function authenticateOperator(adminToken: string, failed: FailedAttempts) {
  const expected = digestOfToken(adminToken)
  return async (request: FastifyRequest): Promise<void> => {
    const token = tokenIn(request)
    if (token instanceof ServiceError) throw failed.count(request.ip, token)
    if (!timingSafeEqual(digestOfToken(token), expected)) throw failed.count(request.ip, new ServiceError('forbidden'))
  }
}

export function callerOf(request: FastifyRequest): KeyHolder {
  if (!request.caller) throw new Error('auth: a route that needs a caller is outside the authenticated scope')
  return request.caller
}

/** The user of the key. Calendars belong to users, so a service key gets a 401. */
export function userOf(request: FastifyRequest): UserId {
  const { userId } = callerOf(request)
  if (!userId) throw new ServiceError('no_user')
  return userId
}

function tokenIn(request: FastifyRequest): string | ServiceError {
  const header = request.headers.authorization
  if (!header) return new ServiceError('unauthorized')
  return /^Token +(\S+)$/i.exec(header.trim())?.[1] ?? new ServiceError('forbidden')
}
