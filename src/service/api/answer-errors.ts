// Every answer that is not a success: one shape, one sentence, and never a stack.
import type { Socket } from 'node:net'
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import type { JsonObject } from '../../domain/bot.ts'
import { invalid, ServiceError } from '../../domain/errors.ts'
import { newId } from '../../kit/id.ts'
import { isDatabaseDiskFull, isUnreachable } from '../db/unreachable.ts'
import { inCallersWords } from './aliases.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** How the caller put it: the body as sent, and neutral field names to the aliases that were used. */
    wording: { readonly sent: JsonObject; readonly spoken: ReadonlyMap<string, string> } | null
  }
}

/** What Fastify itself finds wrong with a request, in our words. */
const FRAMEWORK: Readonly<Record<string, string>> = {
  FST_ERR_CTP_BODY_TOO_LARGE: 'The request body is larger than 1 MB.',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'Content-Type must be application/json.',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'Content-Length does not match the request body.',
  FST_ERR_BAD_URL: 'The URL is not valid.',
}

export function answerError(error: FastifyError | ServiceError, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const known = serviceError(error)
  if (!known) {
    request.log.error({ err: error }, 'request failed')
    return reply.code(500).send({ message: 'Something went wrong on our side. Try again; the request id names this answer in our logs.' })
  }
  if (known.retryAfterSeconds !== undefined) reply.header('retry-after', known.retryAfterSeconds)
  const message = inCallersWords(known.message, request.wording?.spoken ?? new Map())
  return reply.code(known.http).send({ message, ...known.extra })
}

const RETRY_AFTER_SECONDS = 5

/** Every 429 and every 503 says when to come back, also one that no ServiceError stands behind. */
export async function sayWhenToRetry(_request: FastifyRequest, reply: FastifyReply): Promise<void> {
  const wanted = reply.statusCode === 429 || reply.statusCode === 503
  if (wanted && !reply.hasHeader('retry-after')) reply.header('retry-after', RETRY_AFTER_SECONDS)
}

type RawAnswer = { readonly status: string; readonly message: string }

const NOT_HTTP: RawAnswer = { status: '400 Bad Request', message: 'The request is not valid HTTP.' }

const CONNECTION_ERRORS: Readonly<Record<string, RawAnswer>> = {
  HPE_HEADER_OVERFLOW: { status: '431 Request Header Fields Too Large', message: 'The URL and headers together are larger than 16 KB.' },
  ERR_HTTP_REQUEST_TIMEOUT: { status: '408 Request Timeout', message: 'The request took too long to arrive. Send it again.' },
}

/** The client has this long to read the answer before the connection is cut, whatever it still sends. */
const LINGER_MS = 1_000

/** What is not even a request is answered on the bare connection, and the connection ends. */
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

function serviceError(error: FastifyError | ServiceError): ServiceError | null {
  if (error instanceof ServiceError) return error
  if (isUnreachable(error)) return new ServiceError('database_unreachable')
  if (isDatabaseDiskFull(error)) return new ServiceError('disk_full')
  const sentence = FRAMEWORK[error.code]
  if (sentence) return invalid(sentence)
  return error.statusCode && error.statusCode >= 400 && error.statusCode < 500 ? invalid('The request is not valid.') : null
}
