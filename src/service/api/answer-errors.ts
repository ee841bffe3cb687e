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

/** What is not even HTTP never becomes a request: it is answered on the bare connection, and the connection ends. */
export function answerClientError(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return
  const tooLong = error.code === 'HPE_HEADER_OVERFLOW'
  const message = tooLong ? 'The URL and headers together are larger than 16 KB.' : 'The request is not valid HTTP.'
  const body = JSON.stringify({ message })
  const head = [
    `HTTP/1.1 ${tooLong ? '431 Request Header Fields Too Large' : '400 Bad Request'}`,
    'content-type: application/json; charset=utf-8',
    `content-length: ${Buffer.byteLength(body)}`,
    `x-request-id: ${newId('req', new Date())}`,
    'connection: close',
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`)
}

function serviceError(error: FastifyError | ServiceError): ServiceError | null {
  if (error instanceof ServiceError) return error
  if (isUnreachable(error)) return new ServiceError('database_unreachable')
  if (isDatabaseDiskFull(error)) return new ServiceError('disk_full')
  const sentence = FRAMEWORK[error.code]
  if (sentence) return invalid(sentence)
  return error.statusCode && error.statusCode >= 400 && error.statusCode < 500 ? invalid(error.message) : null
}
