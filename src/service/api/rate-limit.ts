// Limits requests per API key.
import rateLimit from '@fastify/rate-limit'
import type { FastifyRequest } from 'fastify'
import { ServiceError } from '../../domain/errors.ts'
import { callerOf } from './auth.ts'
import type { Api } from './deps.ts'

/** Runs after authentication, so that requests count against their API key. */
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
  return new ServiceError('too_many_requests', `Too many requests: at most ${max} per minute. Try again in ${seconds} s.`, {}, seconds)
}
