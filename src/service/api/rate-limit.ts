// How often a key may ask.
import rateLimit from '@fastify/rate-limit'
import type { FastifyRequest } from 'fastify'
import { ServiceError } from '../../domain/errors.ts'
import { callerOf } from './auth.ts'
import type { Api } from './deps.ts'

/** Counts every request of the scope against its API key, after it was recognised. */
export async function limitRate(app: Api, perMinute: number): Promise<void> {
  await app.register(rateLimit, {
    max: perMinute,
    timeWindow: 60_000,
    cache: 10_000,
    keyGenerator: (request: FastifyRequest) => callerOf(request).keyId,
    errorResponseBuilder: (_request, { max, ttl }) => tooMany(max, ttl),
  })
}

export function tooMany(max: number, ttlMs: number): ServiceError {
  const seconds = Math.max(1, Math.ceil(ttlMs / 1000))
  return new ServiceError('too_many_requests', `Too many requests: ${max} a minute are allowed. Try again in ${seconds} s.`, {}, seconds)
}
