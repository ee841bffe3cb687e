// Limits requests per API key.
import rateLimit from '@fastify/rate-limit'
import type { FastifyRequest } from 'fastify'
import { type ServiceError, tooMany } from '../../../domain/errors.ts'
import { callerOf } from '../auth.ts'
import type { Api } from '../deps.ts'

/** Runs after authentication, so that requests count against their API key. */
export async function limitRate(app: Api, perMinute: number): Promise<void> {
  await app.register(rateLimit, {
    max: perMinute,
    timeWindow: 60_000,
    cache: 10_000,
    keyGenerator: (request: FastifyRequest) => callerOf(request).keyId,
    errorResponseBuilder: (_request, { max, ttl }) => limitReached(max, ttl),
  })
}

export const limitReached = (most: number, waitMs: number): ServiceError =>
  tooMany(`Too many requests: at most ${most} per minute.`, waitMs)
