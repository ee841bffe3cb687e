// One WebSocket connection to a live vendor. Its end is reported once, with a reason.

import type { IncomingMessage } from 'node:http'
import { type RawData, WebSocket } from 'ws'
import { codeIn } from '../../kit/failure.ts'
import { asFields, parseJson, Unreadable } from '../http/json-fields.ts'
import { refusal, sentence, withoutSecret } from '../http/refusal.ts'
import { SpeechFailed } from '../provider.ts'
import type { LiveEvent, LiveProtocol, LiveTiming } from './live-protocol.ts'

export type ConnectionHandler = {
  onOpen(): void
  onEvent(event: Exclude<LiveEvent, { kind: 'refused' }>): void
  /** Null: a normal close. */
  onClose(failure: SpeechFailed | null): void
}

type ConnectionTiming = Pick<LiveTiming, 'connectMs' | 'pingMs'>

export type LiveConnection = {
  send(data: Uint8Array | string): void
  terminate(): void
}

const MOST_MESSAGE_BYTES = 4 * 1024 * 1024
const MOST_REFUSAL_BYTES = 4 * 1024
/** A normal close, with or without a status code. */
const USUAL_CODES = new Set([1000, 1005])

export function connect(protocol: LiveProtocol, { connectMs, pingMs }: ConnectionTiming, handler: ConnectionHandler): LiveConnection {
  const { vendor, secret } = protocol
  const socket = new WebSocket(protocol.url, {
    headers: { ...protocol.headers },
    handshakeTimeout: connectMs,
    maxPayload: MOST_MESSAGE_BYTES,
  })
  const read = protocol.createReader()
  let failure: SpeechFailed | null = null
  let isClosed = false

  const fail = (reason: string, retryable: boolean, cause?: unknown): void => {
    failure ??= new SpeechFailed(`${vendor}: ${sentence(withoutSecret(reason, secret))}`, { retryable, cause })
  }
  const close = (): void => {
    stopWatching()
    if (isClosed) return
    isClosed = true
    handler.onClose(failure)
  }
  const handleEvent = (event: LiveEvent): void => {
    if (isClosed) return
    if (event.kind === 'refused') {
      fail(event.reason, event.retryable)
      socket.terminate()
      close()
    } else handler.onEvent(event)
  }

  const stopWatching = watchLiveness(socket, pingMs, () => {
    fail('the connection timed out: no answer to a ping', true)
    socket.terminate()
  })

  socket.on('open', () => handler.onOpen())
  socket.on('message', (data, isBinary) => {
    if (isBinary || isClosed) return
    try {
      for (const event of read(asFields(parseJson(textOf(data)), 'message'))) handleEvent(event)
    } catch (error) {
      if (!(error instanceof Unreadable)) throw error
      fail(`A message of the provider cannot be parsed. ${error.message}`, true, error)
      socket.terminate()
    }
  })
  socket.on('unexpected-response', async (request, response) => {
    response.setTimeout(connectMs, () => response.destroy())
    failure ??= refusal({ vendor, secret, status: response.statusCode ?? 0, body: await headOf(response) })
    request.destroy()
    close()
  })
  socket.on('error', (error) => fail(`the connection failed${codeIn(error)}`, true, error))
  socket.on('close', (code, reason) => {
    if (protocol.finalCodes.has(code)) fail(`closed with ${code} ${reason.toString()}`.trim(), false)
    else if (!USUAL_CODES.has(code)) fail(`the connection ended with ${code} ${reason.toString()}`.trim(), true)
    close()
  })
  return {
    // A failed send also closes the connection, which reports it.
    send: (data) => socket.send(data, () => undefined),
    terminate() {
      isClosed = true
      stopWatching()
      socket.terminate()
    },
  }
}

/** Detects a dead network: a peer that has not answered a ping when the next is due is gone. */
function watchLiveness(socket: WebSocket, pingMs: number, onGone: () => void): () => void {
  let isAlive = true
  const markAlive = (): void => {
    isAlive = true
  }
  socket.on('pong', markAlive)
  socket.on('message', markAlive)
  const timer = setInterval(() => {
    if (socket.readyState !== socket.OPEN) return
    if (isAlive) socket.ping()
    else onGone()
    isAlive = false
  }, pingMs)
  return () => clearInterval(timer)
}

/** The start of the refusal's body. An interrupted body is ignored, because the status is enough. */
async function headOf(response: IncomingMessage): Promise<string> {
  const parts: Buffer[] = []
  let length = 0
  try {
    for await (const part of response) {
      parts.push(part)
      length += part.length
      if (length > MOST_REFUSAL_BYTES) break
    }
  } catch {
    // The part that arrived is used.
  }
  return Buffer.concat(parts).toString()
}

/** By default the library gives one Buffer per message. */
function textOf(data: RawData): string {
  return (data as Buffer).toString()
}
