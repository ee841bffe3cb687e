// Schema pieces that every route shares: errors, ids, and the words of the published description.
import Type, { type TSchema, type TStringOptions } from 'typebox'
import { ERRORS, type ErrorCode } from '../../../domain/errors.ts'

/** An object with any fields. */
export const AnyObject = Type.Unsafe<Record<string, unknown>>({ type: 'object', additionalProperties: true })

export const Nullable = <Schema extends TSchema>(schema: Schema) => Type.Union([schema, Type.Null()])

export const Moment = Type.String({ description: 'ISO 8601', examples: ['2026-11-15T09:30:00.000Z'] })

export const Attributes = Type.Unsafe<Record<string, unknown>>({
  type: 'object',
  additionalProperties: true,
  description: 'Client-supplied attributes, echoed on reads and in every webhook.',
  examples: [{ tag: 'sales', count: 3 }],
})

/** Text of one line, without control characters. */
export const Line = (options: TStringOptions = {}) => Type.String({ ...options, format: 'line' })

/** The same where a caller sends them. */
export const NewAttributes = Type.Unsafe<Record<string, unknown>>({
  ...Attributes,
  description: 'Echoed on reads and in every webhook. At most 32 kB (32,768 bytes) as JSON.',
  'x-max-bytes': 32 * 1024,
})

export const BotParams = Type.Object({ bot_id: Type.String({ description: 'The id that create_bot returned.' }) })

/** `{message}` and whatever the specification adds for one error or another. */
const Problem = (message: string) =>
  Type.Unsafe<Record<string, unknown>>({
    type: 'object',
    required: ['message'],
    properties: { message: { type: 'string' } },
    additionalProperties: true,
    examples: [{ message }],
  })

/** What any request with an API key can be answered with. */
const EVERYWHERE = [
  'invalid',
  'unauthorized',
  'forbidden',
  'too_many_requests',
  'database_unreachable',
] as const satisfies readonly ErrorCode[]

const TITLES: Readonly<Record<number, string>> = {
  202: 'Not ready: poll again',
  400: 'Validation error, naming the field',
  401: 'Authorization header missing',
  403: 'Invalid key, or not allowed',
  404: 'Unknown id, or nothing there',
  409: 'Conflict',
  410: 'Retired',
  422: 'It could not be made; the reason is the provider’s own',
  429: 'Rate limited: honour Retry-After',
  500: 'Our fault: try again with backoff',
  503: 'Not available now: honour Retry-After, or try again with backoff',
}

const SERVER_FAULT = { 500: { description: TITLES[500], ...Problem('Something went wrong on our side.') } }

/** The error answers of an operation, from the rows of the error table it can end in. */
export function problems(...codes: readonly ErrorCode[]): Record<number, TSchema> {
  return { ...byStatus([...EVERYWHERE, ...codes]), ...SERVER_FAULT }
}

/** The same for operations that need no API key. */
export function openProblems(...codes: readonly ErrorCode[]): Record<number, TSchema> {
  return { ...byStatus(['database_unreachable', ...codes]), ...SERVER_FAULT }
}

function byStatus(codes: readonly ErrorCode[]): Record<number, TSchema> {
  return Object.fromEntries(
    codes.map((code) => [ERRORS[code].http, { description: TITLES[ERRORS[code].http], ...Problem(ERRORS[code].message) }]),
  )
}
