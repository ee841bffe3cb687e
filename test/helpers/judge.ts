// The rules that every answer must keep, whatever was asked.
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

/** What is wrong with an answer; nothing, if all is well. */
export function judge(operations: readonly Operation[], request: GeneratedRequest, answer: WireAnswer): string[] {
  const place = operationAt(operations, request.method, request.target)
  return RULES.flatMap((rule) => rule(request, answer, place) ?? [])
}

/** The fields of the body; none where it is no object. */
export function fieldsIn({ json }: WireAnswer): Readonly<Record<string, unknown>> {
  return typeof json === 'object' && json !== null ? (json as Record<string, unknown>) : {}
}

const isBodiless: (request: GeneratedRequest) => boolean = ({ method }) => method === 'HEAD'

const RULES: readonly Rule[] = [
  hasRequestId,
  isJson,
  isNoFaultOfOurs,
  isDocumented,
  keepsTheDoor,
  saysWhatIsWrong,
  saysWhenToRetry,
  isAsExpected,
]

function hasRequestId(_request: GeneratedRequest, { requestId }: WireAnswer): string | null {
  return requestId ? null : 'no X-Request-Id'
}

function isJson(request: GeneratedRequest, answer: WireAnswer): string | null {
  if (isBodiless(request)) return answer.text === '' ? null : 'a body in the answer to HEAD'
  if (!/^application\/json\b/.test(answer.contentType)) return `the answer is ${answer.contentType || 'of no type'}, not JSON`
  return typeof answer.json === 'object' && answer.json !== null ? null : 'the body is not a JSON object or array'
}

/** 507 is a replay; 503 is documented where a bot has to confirm something. */
function isNoFaultOfOurs(_request: GeneratedRequest, { status }: WireAnswer, place: Operation | string): string | null {
  if (status < 500 || status === 507) return null
  return status === 503 && typeof place === 'object' && place.path.includes('{bot_id}') && place.answers.has(503)
    ? null
    : `a fault of ours: ${status}`
}

function isDocumented(request: GeneratedRequest, answer: WireAnswer, place: Operation | 'nowhere' | 'malformed'): string | null {
  if (place === 'malformed') return answer.status === 400 ? null : `a malformed path is answered with ${answer.status}`
  if (place === 'nowhere') return isPlainNotFound(request, answer) ? null : `an unknown path is answered with ${answer.status}`
  const schema = place.answers.get(answer.status)
  if (!schema) return `${place.operationId} does not document ${answer.status}`
  const problem = isBodiless(request) ? null : (misfit(schema, answer.json) ?? unknownField(schema, answer))
  return problem && `${place.operationId} ${answer.status} has another schema: ${problem}`
}

/** Errors may have more fields than `message`, and each is described. */
function unknownField({ properties = {} }: Schema, answer: WireAnswer): string | null {
  if (answer.status < 400 || answer.status === 507) return null
  const unknown = Object.keys(fieldsIn(answer)).find((name) => !Object.hasOwn(properties, name))
  return unknown === undefined ? null : `${unknown} is not described`
}

function isPlainNotFound(request: GeneratedRequest, answer: WireAnswer): boolean {
  return answer.status === 404 && (isBodiless(request) || answer.text === '{"message":"Not Found"}')
}

/** Without a token 401, with a wrong one 403, before anything else is looked at. */
function keepsTheDoor({ token }: GeneratedRequest, { status }: WireAnswer, place: Operation | 'nowhere' | 'malformed'): string | null {
  if (typeof place === 'string' || place.opensWith === 'nothing' || token === 'right') return null
  const right = token === 'none' ? 401 : 403
  return status === right ? null : `${place.operationId} is answered with ${status} instead of ${right}`
}

/** Code that shows through: stacks, library codes, values that were never meant to be text. */
const LEAKS = /\bat \w+ \(|node_modules|FST_|ECONN|undefined|\[object |\bSQL\b|syntax error|TypeError|RangeError/

function saysWhatIsWrong(request: GeneratedRequest, answer: WireAnswer): string | null {
  if (answer.status < 400 || answer.status === 507 || isBodiless(request)) return null
  const { message } = fieldsIn(answer)
  if (typeof message !== 'string' || !/^\S.*\S$/s.test(message)) return 'the error has no message'
  return LEAKS.test(message) ? 'the message shows what is inside' : null
}

function saysWhenToRetry(_request: GeneratedRequest, { status, retryAfter }: WireAnswer): string | null {
  return (status !== 429 && status !== 503) || /^[1-9]\d*$/.test(retryAfter) ? null : `${status} without Retry-After`
}

function isAsExpected({ expected, names }: GeneratedRequest, answer: WireAnswer): string | null {
  if (!expected) return null
  if (!expected.includes(answer.status)) return `${expected.join(' or ')} expected, not ${answer.status}`
  if (names.length === 0) return null
  const message = String(fieldsIn(answer).message)
  return names.some((name) => message.includes(name)) ? null : 'the message does not name the field'
}
