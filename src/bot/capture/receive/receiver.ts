// The bot's end of the wire: a loopback socket that accepts frames from pages with the token, and passes them to a sink.
import { randomBytes } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import { type WebSocket, WebSocketServer } from 'ws'
import { isSameSecret } from '../../../kit/is-same-secret.ts'
import { decodeBatch } from '../batch.ts'
import { type FrameSink, infoOfTrack } from '../source/source-info.ts'
import { decodeFromPage, encodeControl, type FromPage, type ToPage, type TrackInfo } from '../wire.ts'

const MOST_PAGES = 32
const MOST_TRACKS_PER_PAGE = 512
const LARGEST_MESSAGE_BYTES = 16 * 1024 * 1024
const HELLO_WITHIN_MS = 3_000

type ReceiverOptions = {
  /** The monotonic clock of `arrivedMs`. */
  readonly nowMs: () => number
  readonly onProblem: (message: string) => void
}

export type PageHealth = {
  readonly connected: boolean
  readonly lastHeartbeatMs: number
  readonly frames: number
  readonly dropped: number
}

/** A source keeps its key when its page connects again. */
export async function startReceiver(sink: FrameSink, options: ReceiverOptions) {
  const token = randomBytes(24).toString('base64url')
  const pages = new Map<string, Page>()
  const lastCommands = new Map<string, string>()
  const names = new Map<string, SourceName>()
  const onName = (name: SourceName): void => {
    names.set(`ssrc:${name.ssrc}`, name)
    for (const page of pages.values()) page.rename(`ssrc:${name.ssrc}`)
  }
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0, perMessageDeflate: false, maxPayload: LARGEST_MESSAGE_BYTES })
  await new Promise<void>((resolve, reject) => server.once('listening', resolve).once('error', reject))

  server.on('connection', (socket) => {
    // The library closes a broken socket, and the page reconnects.
    socket.on('error', () => undefined)
    if (server.clients.size > MOST_PAGES) {
      socket.terminate()
      return
    }
    onHello(socket, token, (hello) => {
      const page = pages.get(hello.page) ?? new Page(hello.page, { ...options, sink, names, onName })
      pages.set(hello.page, page)
      page.connect(socket, hello.sentMs)
      for (const command of lastCommands.values()) socket.send(command)
    })
  })

  return {
    url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}`,
    token,
    requestKeyFrame(key: string): void {
      for (const page of pages.values()) page.requestKeyFrame(key)
    },
    /** To every page, and to every page that connects before the opposite command. */
    sendCommand(command: Exclude<ToPage, { kind: 'keyframe' }>): void {
      lastCommands.set(command.kind === 'pause' || command.kind === 'resume' ? 'recording' : command.kind, encodeControl(command))
      for (const page of pages.values()) page.send(command)
    },
    health: (): readonly PageHealth[] => [...pages.values()].map((page) => page.health()),
    async close(): Promise<void> {
      for (const socket of server.clients) socket.terminate()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

type SourceName = Extract<FromPage, { kind: 'source' }>
type PageDeps = ReceiverOptions & {
  readonly sink: FrameSink
  /** One page knows the track of an SSRC while another one has its frames. */
  readonly names: ReadonlyMap<string, SourceName>
  readonly onName: (name: SourceName) => void
}
type Hello = Extract<FromPage, { kind: 'hello' }>

/** The first message of a socket must carry the token. */
function onHello(socket: WebSocket, token: string, accept: (hello: Hello) => void): void {
  const timer = setTimeout(() => socket.terminate(), HELLO_WITHIN_MS)
  socket.once('close', () => clearTimeout(timer))
  socket.once('message', (data, isBinary) => {
    clearTimeout(timer)
    const hello = isBinary ? null : decodeFromPage(data.toString())
    if (hello?.kind === 'hello' && isSameSecret(hello.token, token)) accept(hello)
    else socket.terminate()
  })
}

/** One worker in one page, across its reconnects. */
class Page {
  readonly #id: string
  readonly #deps: PageDeps
  readonly #tracks = new Map<number, TrackInfo>()
  #socket: WebSocket | null = null
  /** Both clocks are the machine's monotonic one, so the smallest difference seen is the exact one. */
  #offsetMs = Number.POSITIVE_INFINITY
  #health: PageHealth

  constructor(id: string, deps: PageDeps) {
    this.#id = id
    this.#deps = deps
    this.#health = { connected: false, lastHeartbeatMs: deps.nowMs(), frames: 0, dropped: 0 }
  }

  connect(socket: WebSocket, sentMs: number): void {
    this.#socket?.terminate()
    this.#socket = socket
    this.#onContact(sentMs)
    socket.on('message', (data, isBinary) => {
      // `ws` gives one Buffer per message by default.
      const known = isBinary ? this.#frames(data as Buffer) : this.#control(decodeFromPage(data.toString()))
      if (known) return
      this.#deps.onProblem('The page sent an invalid message; its connection is closed.')
      socket.terminate()
    })
  }

  send(command: ToPage): void {
    if (this.#socket?.readyState === this.#socket?.OPEN) this.#socket?.send(encodeControl(command))
  }

  requestKeyFrame(key: string): void {
    for (const number of this.#tracks.keys()) if (this.#key(number) === key) this.send({ kind: 'keyframe', number })
  }

  health(): PageHealth {
    return { ...this.#health, connected: this.#socket?.readyState === this.#socket?.OPEN }
  }

  rename(id: string): void {
    for (const info of this.#tracks.values()) if (info.id === id) this.#announce(info)
  }

  #announce(info: TrackInfo): void {
    const name = this.#deps.names.get(info.id)
    this.#deps.sink.track(
      this.#key(info.number),
      infoOfTrack(name ? { ...info, id: name.id, streamId: name.streamId, mid: name.mid } : info),
    )
  }

  #onContact(sentMs: number): void {
    this.#offsetMs = Math.min(this.#offsetMs, this.#deps.nowMs() - sentMs)
    this.#health = { ...this.#health, lastHeartbeatMs: this.#deps.nowMs() }
  }

  #frames(bytes: Buffer): boolean {
    const frames = decodeBatch(bytes)
    for (const frame of frames ?? []) {
      if (this.#tracks.has(frame.track)) this.#deps.sink.frame(this.#key(frame.track), frame, frame.receivedMs + this.#offsetMs)
    }
    return frames !== null
  }

  #control(message: FromPage | null): boolean {
    if (message === null || (message.kind === 'track' && this.#tracks.size >= MOST_TRACKS_PER_PAGE)) return false
    if (message.kind === 'track') {
      this.#tracks.set(message.info.number, message.info)
      this.#announce(message.info)
    }
    if (message.kind === 'track-ended') this.#end(message.number)
    if (message.kind === 'heartbeat') {
      const { sentMs, frames, dropped } = message
      this.#onContact(sentMs)
      this.#health = { ...this.#health, frames, dropped }
    }
    if (message.kind === 'problem') this.#deps.onProblem(message.message)
    if (message.kind === 'source') this.#deps.onName(message)
    return true
  }

  #end(number: number): void {
    this.#tracks.delete(number)
    this.#deps.sink.trackEnded(this.#key(number))
  }

  #key(number: number): string {
    return `${this.#id}/${number}`
  }
}
