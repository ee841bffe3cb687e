// The rules that every answer of the API must keep.
import type { GeneratedRequest } from './generated-requests.ts'
import { misfit, type Operation, operationAt, type Schema } from './openapi.ts'

export type WireAnswer = {
  readonly status: number
  readonly requestId: string
  readonly contentType: string
  readonly retryAfter: string
  readonly text: string
  /** The body, if it is JSON. */
  readonly json: unknown
}

type Rule = (request: GeneratedRequest, answer: WireAnswer, place: Operation | 'nowhere' | 'malformed') => string | null

/** The violations of an answer. */
export function violationsOf(operations: readonly Operation[], request: GeneratedRequest, answer: WireAnswer): string[] {
  const place = operationAt(operations, request.method, request.target)
  return RULES.flatMap((rule) => rule(request, answer, place) ?? [])
}

/** The fields of the body, or none if it is not an object. */
export function fieldsIn({ json }: WireAnswer): Readonly<Record<string, unknown>> {
  return typeof json === 'object' && json !== null ? (json as Record<string, unknown>) : {}
}

const isBodiless: (request: GeneratedRequest) => boolean = ({ method }) => method === 'HEAD'

const RULES: readonly Rule[] = [hasRequestId, isJson, isNoServerFault, isDocumented, requiresToken, hasMessage, hasRetryAfter, isAsExpected]

function hasRequestId(_request: GeneratedRequest, { requestId }: WireAnswer): string | null {
  return requestId ? null : 'no X-Request-Id'
}

function isJson(request: GeneratedRequest, answer: WireAnswer): string | null {
  if (isBodiless(request)) return answer.text === '' ? null : 'a body in the answer to HEAD'
  if (!/^application\/json\b/.test(answer.contentType)) return `the answer is ${answer.contentType || 'of no type'}, not JSON`
  return typeof answer.json === 'object' && answer.json !== null ? null : 'the body is not a JSON object or array'
}

/** 507 is a replay. 503 is documented where a bot has to confirm a command. */
function isNoServerFault(_request: GeneratedRequest, { status }: WireAnswer, place: Operation | string): string | null {
  if (status < 500 || status === 507) return null
  return status === 503 && typeof place === 'object' && place.path.includes('{bot_id}') && place.answers.has(503)
    ? null
    : `a server fault: ${status}`
}

function isDocumented(request: GeneratedRequest, answer: WireAnswer, place: Operation | 'nowhere' | 'malformed'): string | null {
  if (place === 'malformed') return answer.status === 400 ? null : `a malformed path is answered with ${answer.status}`
  if (place === 'nowhere') return isPlainNotFound(request, answer) ? null : `an unknown path is answered with ${answer.status}`
  const schema = place.answers.get(answer.status)
  if (!schema) return `${place.operationId} does not document ${answer.status}`
  const problem = isBodiless(request) ? null : (misfit(schema, answer.json) ?? unknownField(schema, answer))
  return problem && `${place.operationId} ${answer.status} has another schema: ${problem}`
}

/** Errors may have more fields than `message` if they are documented. */
function unknownField({ properties = {} }: Schema, answer: WireAnswer): string | null {
  if (answer.status < 400 || answer.status === 507) return null
  const unknown = Object.keys(fieldsIn(answer)).find((name) => !Object.hasOwn(properties, name))
  return unknown === undefined ? null : `${unknown} is not described`
}

function isPlainNotFound(request: GeneratedRequest, answer: WireAnswer): boolean {
  return answer.status === 404 && (isBodiless(request) || answer.text === '{"message":"Not Found"}')
}

/** A missing token gets 401 and a wrong one 403, before any other check. */
function requiresToken({ token }: GeneratedRequest, { status }: WireAnswer, place: Operation | 'nowhere' | 'malformed'): string | null {
  if (typeof place === 'string' || place.opensWith === 'nothing' || token === 'right') return null
  const right = token === 'none' ? 401 : 403
  return status === right ? null : `${place.operationId} is answered with ${status} instead of ${right}`
}

/** Internals: stack traces, library codes, values that were never meant as text. */
const LEAKS = /\bat \w+ \(|node_modules|FST_|ECONN|undefined|\[object |\bSQL\b|syntax error|TypeError|RangeError/

function hasMessage(request: GeneratedRequest, answer: WireAnswer): string | null {
  if (answer.status < 400 || answer.status === 507 || isBodiless(request)) return null
  const { message } = fieldsIn(answer)
  if (typeof message !== 'string' || !/^\S.*\S$/s.test(message)) return 'the error has no message'
  return LEAKS.test(message) ? 'the message exposes internals' : null
}

function hasRetryAfter(_request: GeneratedRequest, { status, retryAfter }: WireAnswer): string | null {
  return (status !== 429 && status !== 503) || /^[1-9]\d*$/.test(retryAfter) ? null : `${status} without Retry-After`
}

function isAsExpected({ expected, names }: GeneratedRequest, answer: WireAnswer): string | null {
  if (!expected) return null
  if (!expected.includes(answer.status)) return `${expected.join(' or ')} expected, not ${answer.status}`
  if (names.length === 0) return null
  const message = String(fieldsIn(answer).message)
  return names.some((name) => message.includes(name)) ? null : 'the message does not name the field'
}
