// The live vendors' servers: they recognise tones in the audio they receive and answer in their protocols.
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type RawData, type WebSocket, WebSocketServer } from 'ws'
import { phrases, RATE, recogniseTones, type ToneWord, transcriptOf } from './tone-words.ts'
import { KEY } from './vendor.ts'

/** One connection as the vendor sees it. */
type Session = {
  readonly query: URLSearchParams
  readonly texts: string[]
  /** Seconds in each message. */
  readonly messages: number[]
  pcm: Int16Array
  readonly socket: WebSocket
}

export type LiveSim = {
  readonly baseUrl: string
  readonly sessions: Session[]
  /** For the next connections: refused with this status, or closed with this code after the first message. */
  readonly misfortunes: ({ readonly status: number; readonly body: string } | { readonly code: number; readonly reason: string } | 'cut')[]
  /** Whether the closing message is answered. */
  answersGoodbye: boolean
  /** Whether a ping is answered. */
  answersPings: boolean
  close(): Promise<void>
}

type Protocol = {
  readonly path: string
  readonly isMember: (headers: IncomingMessage['headers']) => boolean
  readonly refusal: string
  /** Called for new audio. */
  onAudio(session: Session, say: (message: unknown) => void, sent: Progress): void
  /** Makes all results so far final. */
  flush(session: Session, say: (message: unknown) => void, sent: Progress): void
  readonly says: { readonly flush: string; readonly close: string; readonly keepAlive: string }
  readonly goodbye: unknown
}

/** Seconds of audio with final results. */
type Progress = { until: number; partials: number }

export const startDeepgramLive = () =>
  serveLive({
    path: '/v1/listen',
    isMember: ({ authorization }) => authorization === `Token ${KEY}`,
    refusal: JSON.stringify({ err_code: 'INVALID_AUTH', err_msg: 'Invalid credentials.', request_id: 'request-1' }),
    onAudio: (session, say, sent) => {
      const words = unsettled(session, sent)
      if (words.length > sent.partials) say(deepgramResults(words, false))
      sent.partials = words.length
    },
    flush(session, say, sent) {
      const words = unsettled(session, sent)
      sent.until = session.pcm.length / RATE
      sent.partials = 0
      say(deepgramResults(words, true))
    },
    says: { flush: 'Finalize', close: 'CloseStream', keepAlive: 'KeepAlive' },
    goodbye: {
      type: 'Metadata',
      transaction_key: 'deprecated',
      request_id: 'request-1',
      sha256: '',
      created: '',
      duration: 0,
      channels: 1,
    },
  })

function deepgramResults(words: readonly ToneWord[], isFinal: boolean): unknown {
  const sent = phrases(words).flatMap((phrase) => phrase.words)
  const alternative = {
    transcript: transcriptOf(words),
    confidence: 0.9,
    words: sent.map(({ word, written, start, end }) => ({ word, punctuated_word: written, start, end, confidence: 0.9 })),
  }
  const flags = { is_final: isFinal, speech_final: false, from_finalize: isFinal }
  return { type: 'Results', channel_index: [0, 1], duration: 1, start: 0, ...flags, channel: { alternatives: [alternative] } }
}

export const startAssemblyaiLive = () =>
  serveLive({
    path: '/v3/ws',
    isMember: ({ authorization }) => authorization === KEY,
    refusal: JSON.stringify({ error: 'Not Authorized' }),
    onAudio(session, say, sent) {
      const words = unsettled(session, sent)
      if (words.length > sent.partials) say(assemblyaiTurn(words, false))
      sent.partials = words.length
    },
    flush(session, say, sent) {
      const words = unsettled(session, sent)
      sent.until = session.pcm.length / RATE
      sent.partials = 0
      if (words.length > 0) say(assemblyaiTurn(words, true))
    },
    says: { flush: 'ForceEndpoint', close: 'Terminate', keepAlive: 'KeepAlive' },
    goodbye: { type: 'Termination', audio_duration_seconds: 1, session_duration_seconds: 1 },
  })

function assemblyaiTurn(words: readonly ToneWord[], isOver: boolean): unknown {
  const sent = phrases(words).flatMap((phrase) => phrase.words)
  const ms = (seconds: number) => Math.round(seconds * 1000)
  return {
    type: 'Turn',
    turn_order: 0,
    turn_is_formatted: isOver,
    end_of_turn: isOver,
    end_of_turn_confidence: 0.5,
    transcript: transcriptOf(words),
    words: sent.map(({ written: text, start, end }) => ({ text, start: ms(start), end: ms(end), confidence: 0.9, word_is_final: isOver })),
  }
}

function unsettled({ pcm }: Session, { until }: Progress): ToneWord[] {
  return recogniseTones(pcm).filter(({ start }) => start >= until)
}

async function serveLive(protocol: Protocol): Promise<LiveSim> {
  const server = createServer()
  const sockets = new WebSocketServer({ noServer: true, autoPong: false })
  const sessions: Session[] = []
  const misfortunes: LiveSim['misfortunes'] = []
  server.on('upgrade', (request, socket, head) => {
    const url = new URL(request.url ?? '/', 'http://sim')
    const refuse = (status: number, body: string) =>
      socket.end(`HTTP/1.1 ${status} No\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`)
    const misfortune = misfortunes.shift()
    if (misfortune && typeof misfortune === 'object' && 'status' in misfortune) refuse(misfortune.status, misfortune.body)
    else if (url.pathname !== protocol.path || !protocol.isMember(request.headers)) refuse(401, protocol.refusal)
    else
      sockets.handleUpgrade(request, socket, head, (client) => {
        const session = { query: url.searchParams, texts: [], messages: [], pcm: new Int16Array(0), socket: client }
        sessions.push(session)
        converse(protocol, session, sim, misfortune)
      })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const sim: LiveSim = {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    sessions,
    misfortunes,
    answersGoodbye: true,
    answersPings: true,
    close: () => {
      for (const { socket } of sessions) socket.terminate()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
  return sim
}

function converse(protocol: Protocol, session: Session, sim: LiveSim, misfortune: LiveSim['misfortunes'][number] | undefined): void {
  const { socket } = session
  const sent: Progress = { until: 0, partials: 0 }
  const say = (message: unknown) => socket.send(JSON.stringify(message))
  const commands: Readonly<Record<string, () => void>> = {
    [protocol.says.flush]: () => protocol.flush(session, say, sent),
    [protocol.says.keepAlive]: () => undefined,
    [protocol.says.close]: () => {
      if (!sim.answersGoodbye) return
      protocol.flush(session, say, sent)
      say(protocol.goodbye)
      socket.close(1000)
    },
  }
  socket.on('ping', (data) => sim.answersPings && socket.pong(data))
  socket.on('message', (data, isBinary) => {
    if (misfortune === 'cut') socket.terminate()
    else if (misfortune && 'code' in misfortune) socket.close(misfortune.code, misfortune.reason)
    else if (isBinary) {
      listen(session, data)
      protocol.onAudio(session, say, sent)
    } else {
      const { type } = JSON.parse(String(data))
      session.texts.push(type)
      const command = commands[type]
      if (command) command()
      else socket.close(1008, `DATA-0000: ${type} is not known`)
    }
  })
}

function listen(session: Session, data: RawData): void {
  const bytes = Buffer.from(data as Buffer)
  const samples = new Int16Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length))
  session.messages.push(samples.length / RATE)
  const all = new Int16Array(session.pcm.length + samples.length)
  all.set(session.pcm)
  all.set(samples, session.pcm.length)
  session.pcm = all
}
