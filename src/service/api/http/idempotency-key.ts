// The Idempotency-Key header, which makes retries of a request safe.
import type { FastifyRequest } from 'fastify'
import Type from 'typebox'
import { invalid } from '../../../domain/errors.ts'
import { published } from '../schema.ts'

const LONGEST_KEY = 255

/** Null: the request has no key. */
export function idempotencyKeyIn(request: FastifyRequest): string | null {
  const key = request.headers['idempotency-key']
  if (key === undefined) return null
  if (typeof key !== 'string' || key.length < 1 || key.length > LONGEST_KEY)
    throw invalid(`Idempotency-Key must have 1 to ${LONGEST_KEY} characters.`)
  return key
}

/** `effect`: what a repeated key does. */
export function idempotencyHeaders(effect: string, example: string) {
  const description = `1 to ${LONGEST_KEY} characters. ${effect}`
  return Type.Object({
    'idempotency-key': Type.Optional(
      published(Type.String({ description, examples: [example] }), { minLength: 1, maxLength: LONGEST_KEY }),
    ),
  })
}
