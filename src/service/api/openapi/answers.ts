// Completes the answers in the OpenAPI document: headers, error examples and content types other than JSON.
import { ERRORS, type ErrorCode } from '../../../domain/errors.ts'
import { CONTENT_TYPES } from '../../../storage/store.ts'
import { TEXT_FORMATS } from '../transcripts/text-formats.ts'
import { isJson, type Json, refTo } from './components.ts'

export type Place = { readonly id: string; readonly path: string; readonly status: number }

const headerRef = (name: string) => ({ $ref: `#/components/headers/${name}` })

/** The placeholder of @fastify/swagger for a missing description. */
const NO_DESCRIPTION = 'Default Response'
const SUCCESSES: Readonly<Record<number, string>> = { 200: 'Success', 201: 'Created' }

const RETRIED: readonly number[] = [429, 503]

export function answerWithHeaders({ id, status }: Place, { content, ...answer }: Json): Json {
  const headers = {
    'X-Request-Id': headerRef('RequestId'),
    ...(RETRIED.includes(status) && { 'Retry-After': headerRef('RetryAfter') }),
    ...(status === 307 && { Location: headerRef('Location') }),
  }
  const json = isJson(content) ? shownJson(content) : {}
  const description = answer.description === NO_DESCRIPTION ? (SUCCESSES[status] ?? 'Success') : answer.description
  return { ...answer, description, headers, content: { ...json, ...otherTypes(id, status) } }
}

/** Adds one example per error code of the status. The description belongs to the answer, so it is removed from the schema. */
function shownJson(content: Json): Json {
  const media = content['application/json']
  if (!isJson(media) || !isJson(media.schema)) return content
  const { 'x-errors': rows, description: _said, ...schema } = media.schema
  return { ...content, 'application/json': { schema, ...(Array.isArray(rows) && errorExamples(rows)) } }
}

function errorExamples(rows: readonly ErrorCode[]): Json {
  const examples = rows.map((code) => [code, { value: { message: ERRORS[code].message } }] as const)
  const [only] = examples
  return examples.length === 1 && only ? { example: only[1].value } : { examples: Object.fromEntries(examples) }
}

const bytes = { schema: { type: 'string', format: 'binary' } }
const textBody = { schema: { type: 'string' } }

const MEDIA_TYPES = Object.fromEntries(
  Object.values(CONTENT_TYPES)
    .filter((type) => type !== 'application/json')
    .map((type) => [type.split(';')[0] ?? type, bytes]),
)

const TRANSCRIPT_TEXTS = Object.fromEntries(
  Object.values(TEXT_FORMATS).map(({ contentType }) => [contentType.split(';')[0] ?? '', textBody]),
)

const transcript = {
  schema: { anyOf: [refTo('Transcript'), refTo('RawTranscript')], description: 'The provider’s raw transcript with `raw=true`.' },
}

const OTHER_TYPES: Readonly<Record<string, Json>> = {
  'getTranscript 200': { 'application/json': transcript, ...TRANSCRIPT_TEXTS },
  'readMedia 200': MEDIA_TYPES,
  'readMedia 206': MEDIA_TYPES,
}

function otherTypes(id: string, status: number): Json {
  return OTHER_TYPES[`${id} ${status}`] ?? {}
}
