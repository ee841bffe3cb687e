// Who asks: the API key in `Authorization: Token …`, or the operator's token.
import { createHash, timingSafeEqual } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import type { UserId } from '../../domain/bot.ts'
import { ServiceError } from '../../domain/errors.ts'
import type { Keys } from '../accounts/keys.ts'
import type { KeyHolder } from '../db/accounts.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by the auth hook; read it through `callerOf`. */
    caller: KeyHolder | null
  }
}

/** Missing is 401; present but wrong, revoked or malformed is 403. */
export function authenticate(keys: Keys) {
  return async (request: FastifyRequest): Promise<void> => {
    const holder = await keys.recognise(tokenIn(request))
    if (!holder) throw new ServiceError('forbidden')
    request.caller = holder
  }
}

export function authenticateOperator(adminToken: string) {
  const expected = digest(adminToken)
  return async (request: FastifyRequest): Promise<void> => {
    if (!timingSafeEqual(digest(tokenIn(request)), expected)) throw new ServiceError('forbidden')
  }
}

export function callerOf(request: FastifyRequest): KeyHolder {
  if (!request.caller) throw new Error('auth: a route that needs a caller is outside the authenticated scope')
  return request.caller
}

/** The user behind the key; calendars belong to users, so a service key has no place there. */
export function userOf(request: FastifyRequest): UserId {
  const { userId } = callerOf(request)
  if (!userId) throw new ServiceError('no_user')
  return userId
}

function tokenIn(request: FastifyRequest): string {
  const header = request.headers.authorization
  if (!header) throw new ServiceError('unauthorized')
  const token = /^Token +(\S+)$/i.exec(header.trim())?.[1]
  if (!token) throw new ServiceError('forbidden')
  return token
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
