// One connection to a live vendor, from dialling to its end: how it ended is told once, in words.

import type { IncomingMessage } from 'node:http'
import { type RawData, WebSocket } from 'ws'
import { codeIn } from '../kit/failure.ts'
import { asFields, parseJson, Unreadable } from './answer.ts'
import type { LiveNews, LiveProtocol, LiveTiming } from './live-protocol.ts'
import { SpeechFailed } from './provider.ts'
import { refusal, sentence, withoutSecret } from './refusal.ts'

export type ConnectionEars = {
  open(): void
  news(news: Exclude<LiveNews, { kind: 'refused' }>): void
  /** Null: it was closed as it should be. */
  closed(failure: SpeechFailed | null): void
}

type ConnectionTiming = Pick<LiveTiming, 'connectMs' | 'pingMs'>

export type LiveConnection = {
  send(data: Uint8Array | string): void
  cut(): void
}

const MOST_MESSAGE_BYTES = 4 * 1024 * 1024
const MOST_REFUSAL_BYTES = 4 * 1024
/** Closed as agreed, with or without a word. */
const USUAL_CODES = new Set([1000, 1005])

export function connect(protocol: LiveProtocol, { connectMs, pingMs }: ConnectionTiming, ears: ConnectionEars): LiveConnection {
  const { vendor, secret } = protocol
  const socket = new WebSocket(protocol.url, {
    headers: { ...protocol.headers },
    handshakeTimeout: connectMs,
    maxPayload: MOST_MESSAGE_BYTES,
  })
  const read = protocol.listen()
  let failure: SpeechFailed | null = null
  let isClosed = false

  const fail = (reason: string, passing: boolean, cause?: unknown): void => {
    failure ??= new SpeechFailed(`${vendor}: ${sentence(withoutSecret(reason, secret))}`, { passing, cause })
  }
  const close = (): void => {
    stopWatching()
    if (isClosed) return
    isClosed = true
    ears.closed(failure)
  }
  const tell = (news: LiveNews): void => {
    if (isClosed) return
    if (news.kind === 'refused') {
      fail(news.reason, news.passing)
      socket.terminate()
      close()
    } else ears.news(news)
  }

  const stopWatching = watch(socket, pingMs, () => {
    fail('it does not answer any more', true)
    socket.terminate()
  })

  socket.on('open', () => ears.open())
  socket.on('message', (data, isBinary) => {
    if (isBinary || isClosed) return
    try {
      for (const news of read(asFields(parseJson(textOf(data)), 'message'))) tell(news)
    } catch (error) {
      if (!(error instanceof Unreadable)) throw error
      fail(`A message cannot be read. ${error.message}`, true, error)
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
    // What did not reach them is told by the connection's end.
    send: (data) => socket.send(data, () => undefined),
    cut() {
      isClosed = true
      stopWatching()
      socket.terminate()
    },
  }
}

/** A network that is gone says nothing: whoever has not answered one ping when the next is due is not there. */
function watch(socket: WebSocket, pingMs: number, onGone: () => void): () => void {
  let isHeard = true
  const hear = (): void => {
    isHeard = true
  }
  socket.on('pong', hear)
  socket.on('message', hear)
  const timer = setInterval(() => {
    if (socket.readyState !== socket.OPEN) return
    if (isHeard) socket.ping()
    else onGone()
    isHeard = false
  }, pingMs)
  return () => clearInterval(timer)
}

/** Where the refusal itself breaks off, its status is enough. */
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
    // What came is what there is.
  }
  return Buffer.concat(parts).toString()
}

/** The library gives one Buffer per message unless told otherwise. */
function textOf(data: RawData): string {
  return (data as Buffer).toString()
}
