// Schemas that the resources share: errors, ids, times and attributes.
import Type, { type TSchema, type TStringOptions } from 'typebox'
import { ERRORS, type ErrorCode } from '../../domain/errors.ts'

export const AnyObject = Type.Unsafe<Record<string, unknown>>({ type: 'object', additionalProperties: true })

export const Nullable = <Schema extends TSchema>(schema: Schema) => Type.Union([schema, Type.Null()])

export const Moment = Type.String({ description: 'ISO 8601', examples: ['2026-11-15T09:30:00.000Z'] })

export const Attributes = Type.Unsafe<Record<string, unknown>>({
  type: 'object',
  additionalProperties: true,
  description: 'Client-supplied attributes, echoed on reads and in every webhook.',
  examples: [{ tag: 'sales', count: 3 }],
})

/** One line of text without control characters. */
export const Line = (options: TStringOptions = {}) => Type.String({ ...options, format: 'line' })

/** custom_attributes in requests. */
export const NewAttributes = Type.Unsafe<Record<string, unknown>>({
  ...Attributes,
  description: 'Echoed on reads and in every webhook. At most 64 keys and 32 kB (32,768 bytes) as JSON.',
  // Each key is a row of bot_terms.
  maxProperties: 64,
  'x-max-bytes': 32 * 1024,
})

export const BotParams = Type.Object({ bot_id: Type.String({ description: 'The id that create_bot returned.' }) })

const Sometimes = (description: string) => Type.Optional(Type.String({ description }))

/** Every error answer: `message`, and the fields that the specification adds for some errors. */
export const ErrorAnswer = Type.Object(
  {
    message: Type.String({ description: 'One sentence that says what is wrong, and names the field.' }),
    code: Sometimes('A stable code, if a status has several errors that a program must distinguish.'),
    error: Sometimes('Same as message. Only for low credits, a bot that is not in a meeting, and reschedule errors.'),
    status_code: Type.Optional(Type.Integer({ description: 'The HTTP status. Only for reschedule errors.' })),
    status: Sometimes('`not ready`. Only for /readyz.'),
    bot_id: Sometimes('The bot that is already scheduled for the calendar event.'),
    existing_bot_id: Sometimes('The bot that holds the deduplication_key.'),
    existing_meeting_url: Sometimes('The meeting of the bot that holds the deduplication_key.'),
    bot_status: Sometimes('The status of a bot that is not in a meeting.'),
    detail: Sometimes('The newest message of a bot that is not in a meeting.'),
    available_credits: Type.Optional(Type.Number({ description: 'The balance. Only for low credits.' })),
    minimum_required: Type.Optional(Type.Number({ description: 'The balance that a new bot needs. Only for low credits.' })),
    active_bots: Type.Optional(Type.Integer({ description: 'Number of running bots. Only for low credits.' })),
  },
  { additionalProperties: true },
)

const InProgress = Sometimes('`in_progress`. Only for recordings.')

/** The 202 answer of a read whose data is not ready. */
export const NotReady = Type.Object(
  { message: Type.String(), audio_status: InProgress, video_status: InProgress },
  { additionalProperties: true },
)

/** Errors of every request with an API key. */
const EVERYWHERE = [
  'invalid',
  'unauthorized',
  'forbidden',
  'too_many_requests',
  'database_unreachable',
] as const satisfies readonly ErrorCode[]

/** Errors of requests that create a bot. */
export const CREATION_ERRORS = [
  ...(['invalid', 'low_credits', 'login_domain_taken', 'login_not_found'] as const),
  ...(['conflict', 'login_busy', 'no_free_login', 'disk_full'] as const),
] satisfies readonly ErrorCode[]

const TITLES: Readonly<Record<number, string>> = {
  202: 'Not ready: poll again',
  400: 'Validation error, naming the field',
  401: 'Authorization header missing',
  403: 'Invalid key, or not allowed',
  404: 'Unknown id, or no such data',
  409: 'Conflict',
  410: 'Retired',
  422: 'Transcription failed; `message` is the provider’s reason',
  429: 'Rate limited: honour Retry-After',
  500: 'Internal error: retry with backoff',
  503: 'Temporarily unavailable: honour Retry-After',
}

const SERVER_FAULT = { 500: { description: TITLES[500], ...ErrorAnswer } }

/** Error answers of an operation, by the error codes that it can throw. */
export function problems(...codes: readonly ErrorCode[]): Record<number, TSchema> {
  return { ...SERVER_FAULT, ...byStatus([...EVERYWHERE, ...codes]) }
}

/** Error answers of an operation without an API key. */
export function openProblems(...codes: readonly ErrorCode[]): Record<number, TSchema> {
  return { ...SERVER_FAULT, ...byStatus(['database_unreachable', ...codes]) }
}

/** `x-errors` lists the codes, from which the OpenAPI document makes its examples. */
function byStatus(codes: readonly ErrorCode[]): Record<number, TSchema> {
  const statuses = Map.groupBy(new Set(codes), (code) => ERRORS[code].http)
  return Object.fromEntries(
    [...statuses].map(([http, rows]) => [
      http,
      { description: TITLES[http], ...(http === 202 ? NotReady : ErrorAnswer), 'x-errors': rows },
    ]),
  )
}
