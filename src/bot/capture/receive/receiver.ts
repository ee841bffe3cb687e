// The bot's end of the wire: a loopback socket that accepts frames from pages with the token, and passes them to a sink.
import { randomBytes, timingSafeEqual } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import { type WebSocket, WebSocketServer } from 'ws'
import { decodeBatch } from '../batch.ts'
import { decodeFromPage, encodeControl, type FromPage, type ToPage, type TrackNote, type WireFrame } from '../wire.ts'

const MOST_PAGES = 32
const MOST_TRACKS_PER_PAGE = 512
const LARGEST_MESSAGE_BYTES = 16 * 1024 * 1024
const HELLO_WITHIN_MS = 3_000

/** Where frames go. A source keeps its key when its page connects again. */
export type FrameSink = {
  /** Milliseconds of the clock of `arrivedMs`. */
  nowMs(): number
  track(key: string, note: TrackNote): void
  frame(key: string, frame: WireFrame, arrivedMs: number): void
  trackEnded(key: string): void
  problem(message: string): void
}

export type PageHealth = {
  readonly connected: boolean
  readonly lastHeartbeatMs: number
  /** How long the page had not responded at the last heartbeat of its worker. */
  readonly silentMs: number
  readonly frames: number
  readonly dropped: number
}

export type Receiver = {
  readonly url: string
  readonly token: string
  requestKeyFrame(key: string): void
  /** To every page, and to every page that connects before the opposite command. */
  sendCommand(command: Exclude<ToPage, { kind: 'keyframe' }>): void
  health(): readonly PageHealth[]
  close(): Promise<void>
}

export async function startReceiver(sink: FrameSink): Promise<Receiver> {
  const token = randomBytes(24).toString('base64url')
  const pages = new Map<string, Page>()
  const lastCommands = new Map<string, string>()
  const names = new Map<string, SourceName>()
  const naming: Naming = {
    names,
    add(name) {
      names.set(`ssrc:${name.ssrc}`, name)
      for (const page of pages.values()) page.rename(`ssrc:${name.ssrc}`)
    },
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
      const page = pages.get(hello.page) ?? new Page(hello.page, sink, naming)
      pages.set(hello.page, page)
      page.connect(socket, hello.sentMs)
      for (const command of lastCommands.values()) socket.send(command)
    })
  })

  return {
    url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}`,
    token,
    requestKeyFrame(key) {
      for (const page of pages.values()) page.requestKeyFrame(key)
    },
    sendCommand(command) {
      lastCommands.set(command.kind === 'pause' || command.kind === 'resume' ? 'recording' : command.kind, encodeControl(command))
      for (const page of pages.values()) page.send(command)
    },
    health: () => [...pages.values()].map((page) => page.health()),
    async close() {
      for (const socket of server.clients) socket.terminate()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

type SourceName = Extract<FromPage, { kind: 'source' }>
/** One page knows the track of an SSRC while another one has its frames. */
type Naming = { readonly names: ReadonlyMap<string, SourceName>; add(name: SourceName): void }
type Hello = Extract<FromPage, { kind: 'hello' }>

/** The first message of a socket must carry the token. */
function onHello(socket: WebSocket, token: string, accept: (hello: Hello) => void): void {
  const timer = setTimeout(() => socket.terminate(), HELLO_WITHIN_MS)
  socket.once('close', () => clearTimeout(timer))
  socket.once('message', (data, isBinary) => {
    clearTimeout(timer)
    const hello = isBinary ? null : decodeFromPage(data.toString())
    if (hello?.kind === 'hello' && isSame(hello.token, token)) accept(hello)
    else socket.terminate()
  })
}

function isSame(given: string, wanted: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(wanted)]
  return a.length === b.length && timingSafeEqual(a, b)
}

/** One worker in one page, across its reconnects. */
class Page {
  readonly #id: string
  readonly #sink: FrameSink
  readonly #naming: Naming
  readonly #notes = new Map<number, TrackNote>()
  #socket: WebSocket | null = null
  /** Both clocks are the machine's monotonic one, so the smallest difference seen is the exact one. */
  #offsetMs = Number.POSITIVE_INFINITY
  #health: PageHealth

  constructor(id: string, sink: FrameSink, naming: Naming) {
    this.#id = id
    this.#sink = sink
    this.#naming = naming
    this.#health = { connected: false, lastHeartbeatMs: sink.nowMs(), silentMs: 0, frames: 0, dropped: 0 }
  }

  connect(socket: WebSocket, sentMs: number): void {
    this.#socket?.terminate()
    this.#socket = socket
    this.#noteContact(sentMs)
    socket.on('message', (data, isBinary) => {
      // `ws` gives one Buffer per message by default.
      const known = isBinary ? this.#frames(data as Buffer) : this.#control(decodeFromPage(data.toString()))
      if (known) return
      this.#sink.problem('The page sent an invalid message; its connection is closed.')
      socket.terminate()
    })
  }

  send(command: ToPage): void {
    if (this.#socket?.readyState === this.#socket?.OPEN) this.#socket?.send(encodeControl(command))
  }

  requestKeyFrame(key: string): void {
    for (const number of this.#notes.keys()) if (this.#key(number) === key) this.send({ kind: 'keyframe', number })
  }

  health(): PageHealth {
    return { ...this.#health, connected: this.#socket?.readyState === this.#socket?.OPEN }
  }

  rename(id: string): void {
    for (const note of this.#notes.values()) if (note.id === id) this.#announce(note)
  }

  #announce(note: TrackNote): void {
    const name = this.#naming.names.get(note.id)
    this.#sink.track(this.#key(note.number), name ? { ...note, id: name.id, streamId: name.streamId, mid: name.mid } : note)
  }

  #noteContact(sentMs: number): void {
    this.#offsetMs = Math.min(this.#offsetMs, this.#sink.nowMs() - sentMs)
    this.#health = { ...this.#health, lastHeartbeatMs: this.#sink.nowMs() }
  }

  #frames(bytes: Buffer): boolean {
    const frames = decodeBatch(bytes)
    for (const frame of frames ?? []) {
      if (this.#notes.has(frame.track)) this.#sink.frame(this.#key(frame.track), frame, frame.receivedMs + this.#offsetMs)
    }
    return frames !== null
  }

  #control(message: FromPage | null): boolean {
    if (message === null || (message.kind === 'track' && this.#notes.size >= MOST_TRACKS_PER_PAGE)) return false
    if (message.kind === 'track') {
      this.#notes.set(message.note.number, message.note)
      this.#announce(message.note)
    }
    if (message.kind === 'track-ended') this.#end(message.number)
    if (message.kind === 'heartbeat') {
      const { sentMs, silentMs, frames, dropped } = message
      this.#noteContact(sentMs)
      this.#health = { ...this.#health, silentMs, frames, dropped }
    }
    if (message.kind === 'problem') this.#sink.problem(message.message)
    if (message.kind === 'source') this.#naming.add(message)
    return true
  }

  #end(number: number): void {
    this.#notes.delete(number)
    this.#sink.trackEnded(this.#key(number))
  }

  #key(number: number): string {
    return `${this.#id}/${number}`
  }
}
