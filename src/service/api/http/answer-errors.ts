// Error answers: `{message}` with one sentence, never a stack trace.
import type { Socket } from 'node:net'
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import type { JsonObject } from '../../../domain/bot.ts'
import { invalid, ServiceError } from '../../../domain/errors.ts'
import { newId } from '../../../kit/id.ts'
import { isDatabaseDiskFull, isReadOnly, isUnreachable } from '../../db/unreachable.ts'
import { withCallerNames } from '../aliases.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The body as sent, and the alias that the caller used for each neutral field name. */
    wording: { readonly sent: JsonObject; readonly usedAliases: ReadonlyMap<string, string> } | null
  }
}

/** Messages for errors that Fastify raises, by its error code. */
const FRAMEWORK: Readonly<Record<string, string>> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'Content-Type must be application/json.',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'Content-Length does not match the request body.',
  FST_ERR_BAD_URL: 'The URL of the request is not valid.',
}

export function answerError(error: FastifyError | ServiceError, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const known = serviceError(error, request)
  if (!known) {
    request.log.error({ err: error }, 'request failed')
    return reply
      .code(500)
      .send({ message: 'Internal error. Try again. If it persists, tell the operator the X-Request-Id of this answer.' })
  }
  if (known.retryAfterSeconds !== undefined) reply.header('retry-after', known.retryAfterSeconds)
  const message = withCallerNames(known.message, request.wording?.usedAliases ?? new Map())
  return reply.code(known.http).send({ message, ...known.extra })
}

const RETRY_AFTER_SECONDS = 5

/** Adds Retry-After to each 429 and 503 that has none, also to those that no ServiceError caused. */
export async function addRetryAfter(_request: FastifyRequest, reply: FastifyReply): Promise<void> {
  const wanted = reply.statusCode === 429 || reply.statusCode === 503
  if (wanted && !reply.hasHeader('retry-after')) reply.header('retry-after', RETRY_AFTER_SECONDS)
}

type RawAnswer = { readonly status: string; readonly message: string }

const NOT_HTTP: RawAnswer = { status: '400 Bad Request', message: 'The request is not valid HTTP.' }

const CONNECTION_ERRORS: Readonly<Record<string, RawAnswer>> = {
  HPE_HEADER_OVERFLOW: {
    status: '431 Request Header Fields Too Large',
    message: 'The URL and headers together are larger than 16 KB. Shorten them.',
  },
  ERR_HTTP_REQUEST_TIMEOUT: { status: '408 Request Timeout', message: 'The request took too long to arrive. Send it again.' },
}

/** The client has this long to read the answer before the connection is destroyed. */
const LINGER_MS = 1_000

/** Answers input that is not an HTTP request directly on the socket and closes it. */
export function answerClientError(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return
  const { status, message } = CONNECTION_ERRORS[error.code ?? ''] ?? NOT_HTTP
  const body = JSON.stringify({ message })
  const head = [
    `HTTP/1.1 ${status}`,
    'content-type: application/json; charset=utf-8',
    `content-length: ${Buffer.byteLength(body)}`,
    'x-content-type-options: nosniff',
    `x-request-id: ${newId('req', new Date())}`,
    'connection: close',
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`)
  setTimeout(() => socket.destroy(), LINGER_MS).unref()
}

function serviceError(error: FastifyError | ServiceError, { routeOptions }: FastifyRequest): ServiceError | null {
  if (error instanceof ServiceError) return error
  if (error.code === 'FST_ERR_CTP_BODY_TOO_LARGE') return invalid(`The request body must be at most ${sizeOf(routeOptions.bodyLimit)}.`)
  if (isReadOnly(error)) return new ServiceError('database_unreachable', 'The database is read-only. Try again in 5 seconds.')
  if (isUnreachable(error)) return new ServiceError('database_unreachable')
  if (isDatabaseDiskFull(error)) return new ServiceError('disk_full')
  const sentence = FRAMEWORK[error.code]
  if (sentence) return invalid(sentence)
  return error.statusCode && error.statusCode >= 400 && error.statusCode < 500 ? invalid('The request is not valid.') : null
}

function sizeOf(bytes = 0): string {
  const kilobytes = Math.round(bytes / 1024)
  return kilobytes < 1024 ? `${kilobytes} kB` : `${Math.round(kilobytes / 1024)} MB`
}
