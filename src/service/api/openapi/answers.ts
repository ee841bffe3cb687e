// Completes the answers in the OpenAPI document: headers, error examples and content types other than JSON. Those that most operations share become components.
import { ERRORS, type ErrorCode } from '../../../domain/errors.ts'
import { CONTENT_TYPES } from '../../../storage/store.ts'
import { TEXT_FORMATS } from '../transcripts/text-formats.ts'
import { isJson, type Json, mapOperations, mapValues, operationsIn } from './components.ts'

/** The operation of an answer, and its status. */
type Place = { readonly id: string; readonly status: number }

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
  return { ...answer, description, headers, content: { ...json, ...OTHER_TYPES[`${id} ${status}`] } }
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

const { json: _json, bundle: _bundle, ...binaryTypes } = CONTENT_TYPES
const MEDIA = Object.fromEntries(Object.values(binaryTypes).map((type) => [withoutCharset(type), bytes]))
const TEXTS = Object.fromEntries(Object.values(TEXT_FORMATS).map(({ contentType }) => [withoutCharset(contentType), textBody]))

/** By operation and status. */
const OTHER_TYPES: Readonly<Record<string, Json>> = { 'getTranscript 200': TEXTS, 'readMedia 200': MEDIA, 'readMedia 206': MEDIA }

function withoutCharset(type: string): string {
  return type.replace(/;.*/, '')
}

const NAMES: Readonly<Record<string, string>> = {
  400: 'BadRequest',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  429: 'TooManyRequests',
  500: 'ServerFault',
  503: 'Unavailable',
}

type Shared = { readonly paths: Json; readonly responses: Json }

/** The most frequent answer of each status becomes shared. Other answers stay in their operation. */
export function sharedAnswers(paths: Json): Shared {
  const mostFrequentByName = new Map<string, string>()
  for (const [status, name] of Object.entries(NAMES)) mostFrequentByName.set(name, mostFrequent(answersWith(paths, status)))
  const shorten = (answer: unknown, status: string): unknown => {
    const name = NAMES[status]
    return name && mostFrequentByName.get(name) === JSON.stringify(answer) ? { $ref: `#/components/responses/${name}` } : answer
  }
  const shortened = mapOperations(paths, (operation) => ({ ...operation, responses: mapValues(operation.responses as Json, shorten) }))
  return { paths: shortened, responses: Object.fromEntries([...mostFrequentByName].map(([name, text]) => [name, JSON.parse(text)])) }
}

function answersWith(paths: Json, status: string): string[] {
  return operationsIn(paths).flatMap(({ operation: { responses } }) =>
    isJson(responses) && responses[status] ? [JSON.stringify(responses[status])] : [],
  )
}

function mostFrequent(texts: readonly string[]): string {
  const counted = [...Map.groupBy(texts, (it) => it)].sort(([, a], [, b]) => b.length - a.length)
  return counted[0]?.[0] ?? '{}'
}
