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

const Sometimes = (description: string) => Type.Optional(Type.String({ description }))

/** What every error answers: `message`, and whatever the specification adds for one error or another. */
export const ErrorAnswer = Type.Object(
  {
    message: Type.String({ description: 'One sentence that says what is wrong, and names the field.' }),
    code: Sometimes('A stable code, where a program has to tell this error from others of its status.'),
    error: Sometimes('The same as message; of low credits, of a bot that is not in a meeting, and of a reschedule.'),
    status_code: Type.Optional(Type.Integer({ description: 'The HTTP status; of a reschedule.' })),
    status: Sometimes('`not ready`; of /readyz.'),
    bot_id: Sometimes('The bot that the calendar event has already.'),
    existing_bot_id: Sometimes('The bot that holds the deduplication_key.'),
    existing_meeting_url: Sometimes('The meeting of the bot that holds the deduplication_key.'),
    bot_status: Sometimes('The status of a bot that is not in a meeting.'),
    detail: Sometimes('The newest message of a bot that is not in a meeting.'),
    available_credits: Type.Optional(Type.Number({ description: 'The balance; of low credits.' })),
    minimum_required: Type.Optional(Type.Number({ description: 'The balance that a new bot needs; of low credits.' })),
    active_bots: Type.Optional(Type.Integer({ description: 'How many bots run; of low credits.' })),
  },
  { additionalProperties: true },
)

const InProgress = Sometimes('`in_progress`; where the read is of a recording.')

/** The 202 of what is being made. */
export const NotReady = Type.Object(
  { message: Type.String(), audio_status: InProgress, video_status: InProgress },
  { additionalProperties: true },
)

/** What any request with an API key can be answered with. */
const EVERYWHERE = [
  'invalid',
  'unauthorized',
  'forbidden',
  'too_many_requests',
  'database_unreachable',
] as const satisfies readonly ErrorCode[]

/** What a new bot can be refused with. */
export const CREATION_ERRORS = [
  ...(['invalid', 'low_credits', 'login_domain_taken', 'login_not_found'] as const),
  ...(['conflict', 'login_busy', 'no_free_login', 'disk_full'] as const),
] satisfies readonly ErrorCode[]

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

const SERVER_FAULT = { 500: { description: TITLES[500], ...ErrorAnswer } }

/** The error answers of an operation, from the rows of the error table it can end in. */
export function problems(...codes: readonly ErrorCode[]): Record<number, TSchema> {
  return { ...SERVER_FAULT, ...byStatus([...EVERYWHERE, ...codes]) }
}

/** The same for operations that need no API key. */
export function openProblems(...codes: readonly ErrorCode[]): Record<number, TSchema> {
  return { ...SERVER_FAULT, ...byStatus(['database_unreachable', ...codes]) }
}

/** `x-errors` names the rows, for the examples of the published description. */
function byStatus(codes: readonly ErrorCode[]): Record<number, TSchema> {
  const statuses = Map.groupBy(new Set(codes), (code) => ERRORS[code].http)
  return Object.fromEntries(
    [...statuses].map(([http, rows]) => [
      http,
      { description: TITLES[http], ...(http === 202 ? NotReady : ErrorAnswer), 'x-errors': rows },
    ]),
  )
}
