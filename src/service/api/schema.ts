// Schemas that the resources share: errors, ids, times and attributes; and what schemas say to the OpenAPI document.
import type { FastifySchema } from 'fastify'
import Type, { type TObjectOptions, type TProperties, type TSchema, type TStringOptions } from 'typebox'
import { ERROR_REASONS, ERRORS, type ErrorCode } from '../../domain/errors.ts'
import { STATUSES } from '../../domain/lifecycle.ts'
import { PLATFORM_NAMES, PLATFORMS } from '../../domain/platforms.ts'

/** The named schemas. The OpenAPI document has one component, and a generated client one type, for each. */
export const NAMED = new Map<string, object>()

/** Gives a schema its name. A copy of it with another description keeps the name. */
export function named<Schema extends object>(name: string, schema: Schema): Schema {
  if (NAMED.has(name)) throw new Error(`two schemas have the name ${name}`)
  const result = Object.assign(schema, { 'x-name': name })
  NAMED.set(name, result)
  return result
}

export function NamedObject<Properties extends TProperties>(name: string, properties: Properties, options: TObjectOptions = {}) {
  return named(name, Type.Object(properties, options))
}

/**
 * Adds what only the OpenAPI document says. Requests are validated without it, because code checks the same rule with a better message,
 * or accepts more than it promises.
 */
export function published<Schema extends TSchema>(schema: Schema, shown: object): Schema {
  return Object.assign(schema, { 'x-published': shown })
}

/** An answer may contain values of later versions, so these are not published as a closed enum. */
const OpenList = (values: readonly string[], description: string) => {
  const about = `${description} More values may be added: tolerate unknown ones.`
  return published(Type.String({ description: about }), { anyOf: [{ type: 'string', enum: values }, { type: 'string' }] })
}

export const AnyObject = Type.Unsafe<Record<string, unknown>>({ type: 'object', additionalProperties: true })

export const Nullable = <Schema extends TSchema>(schema: Schema) => Type.Union([schema, Type.Null()])

export const Moment = named(
  'Moment',
  published(Type.String({ description: 'ISO 8601', examples: ['2026-11-15T09:30:00.000Z'] }), { format: 'date-time' }),
)

/** `Recording` is only in timelines and events. This service writes `Failed` and `Error`, where others write them in upper case. */
const BOT_STATE =
  'The status of a bot. `Recording` is only in the timeline and in events. Compare without regard to case: `FAILED` and `ERROR` mean `Failed` and `Error`.'
export const BotState = named('BotState', OpenList([...STATUSES, 'Recording', 'FAILED', 'ERROR'], BOT_STATE))

export const PLATFORM_WIRE_NAMES = PLATFORM_NAMES.map((name) => PLATFORMS[name].wireName)
export const Platform = named('Platform', OpenList(PLATFORM_WIRE_NAMES, 'The platform of a meeting.'))
export const ErrorReason = named('ErrorReason', OpenList(ERROR_REASONS, 'Why a bot failed.'))

const ATTRIBUTES = { ...AnyObject, examples: [{ tag: 'sales', count: 3 }] }

export const Attributes = named(
  'CustomAttributes',
  Type.Unsafe<Record<string, unknown>>({
    ...ATTRIBUTES,
    description: 'Client-supplied attributes, echoed on reads and in every webhook.',
  }),
)

/** One line of text without control characters. */
export const Line = (options: TStringOptions = {}) => Type.String({ ...options, format: 'line' })

/** A URL of a request. Code checks its scheme and address. */
export const Url = (description: string, options: TStringOptions = {}) => published(Line({ ...options, description }), { format: 'uri' })

/** custom_attributes in requests. */
export const NewAttributes = Type.Unsafe<Record<string, unknown>>({
  ...ATTRIBUTES,
  description: 'Echoed on reads and in every webhook. At most 64 keys and 32 kB (32,768 bytes) as JSON.',
  // Each key is a row of bot_terms.
  maxProperties: 64,
  'x-max-bytes': 32 * 1024,
})

export const BotParams = Type.Object({ bot_id: Type.String({ description: 'The id that create_bot returned.' }) })

const Sometimes = (description: string) => Type.Optional(Type.String({ description }))

/** Every error answer: `message`, and the fields that the specification adds for some errors. */
export const ErrorAnswer = NamedObject(
  'ErrorAnswer',
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

/** The groups of operations in the OpenAPI document. */
export const TAGS = {
  Bots: 'Send bots into meetings, read their status and remove them.',
  Recordings: 'Recordings of a bot. Reads answer 202 until they are ready.',
  'In the meeting': 'Commands to a bot in a meeting. They answer 409 if it is not in the meeting.',
  Transcripts: 'Post-call transcripts with speakers and word times.',
  'Speech providers': 'Speech vendors and the workspace’s own API keys for them.',
  Rooms: 'Links to the built-in meeting rooms of this server.',
  Calendars: 'Connected calendars, their events and the bots of events. Every path also works without /api/v1.',
  'Scheduled bots': 'Bots with a future join time. Every path also works without /api/v1.',
  Webhooks: 'Webhook endpoints of the workspace, the delivery log and the event feed.',
  Events: 'What this server sends to webhook endpoints and to a bot’s callback_url.',
  'Signed-in joins': 'Accounts that bots sign in with. Their secrets are write-only.',
  Account: 'Usage and settings of the workspace.',
  Operator: 'Workspaces, credits and keys; needs ADMIN_TOKEN.',
  Health: 'Liveness and readiness of the service. No key needed.',
}

/** Returns a function that makes schemas of operations with this tag. `shared`: what they all have in common. */
export function operationsOf(tag: keyof typeof TAGS, shared: FastifySchema = {}) {
  return <Parts extends FastifySchema>(operationId: string, summary: string, parts: Parts) => ({
    operationId,
    summary,
    tags: [tag],
    ...shared,
    ...parts,
  })
}

const InProgress = Sometimes('`in_progress`. Only for recordings.')

/** The 202 answer of a read whose data is not ready. */
const NotReady = NamedObject(
  'NotReady',
  { message: Type.String(), audio_status: InProgress, video_status: InProgress },
  { additionalProperties: true },
)

/** Errors of every request with an API key or the operator's token. */
const EVERYWHERE = ['invalid', 'unauthorized', 'forbidden', 'too_many_requests'] as const

/** Errors of requests that create a bot. */
export const CREATION_ERRORS = [
  ...(['low_credits', 'login_domain_taken', 'login_not_found'] as const),
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

/** Error answers of an operation, by the error codes that it can throw. */
export function problems(...codes: readonly ErrorCode[]): Record<number, TSchema> {
  return openProblems(...EVERYWHERE, ...codes)
}

/** Error answers of an operation without an API key. `x-errors` lists the codes, from which the OpenAPI document makes its examples. */
export function openProblems(...codes: readonly ErrorCode[]): Record<number, TSchema> {
  const statuses = Map.groupBy(new Set(['database_unreachable', ...codes] as const), (code) => ERRORS[code].http)
  const answers = [...statuses].map(([http, rows]) => [
    http,
    { description: TITLES[http], ...(http === 202 ? NotReady : ErrorAnswer), 'x-errors': rows },
  ])
  return { 500: { description: TITLES[500], ...ErrorAnswer }, ...Object.fromEntries(answers) }
}
