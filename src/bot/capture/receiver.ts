// The bot's end of the wire: a socket on the loopback that takes frames from pages which know the token, and hands them on.
import { randomBytes, timingSafeEqual } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import { type WebSocket, WebSocketServer } from 'ws'
import { decodeBatch, decodeFromPage, encodeControl, type FromPage, type ToPage, type TrackNote, type WireFrame } from './wire.ts'

const MOST_PAGES = 32
const MOST_TRACKS_PER_PAGE = 512
const LARGEST_MESSAGE_BYTES = 16 * 1024 * 1024
const HELLO_WITHIN_MS = 3_000

/** Where frames go. A source keeps its key when its page connects again. */
export type FrameSink = {
  /** Milliseconds of the clock that frames are handed on with. */
  nowMs(): number
  track(key: string, note: TrackNote): void
  frame(key: string, frame: WireFrame, arrivedMs: number): void
  trackEnded(key: string): void
  problem(message: string): void
}

export type PageHealth = {
  readonly connected: boolean
  readonly lastHeartbeatMs: number
  /** How long the page had not moved when it last said so, though its worker did. */
  readonly silentMs: number
  readonly frames: number
  readonly dropped: number
}

export type Receiver = {
  readonly url: string
  readonly token: string
  askKeyFrame(key: string): void
  /** To every page, and to every page that connects later, until the opposite is said. */
  say(command: Exclude<ToPage, { type: 'keyframe' }>): void
  health(): readonly PageHealth[]
  close(): Promise<void>
}

export async function startReceiver(sink: FrameSink): Promise<Receiver> {
  const token = randomBytes(24).toString('base64url')
  const pages = new Map<string, Page>()
  const standing = new Map<string, string>()
  const names = new Map<string, SourceName>()
  const named: Naming = {
    names,
    learn(name) {
      names.set(`ssrc:${name.ssrc}`, name)
      for (const page of pages.values()) page.rename(`ssrc:${name.ssrc}`)
    },
  }
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0, perMessageDeflate: false, maxPayload: LARGEST_MESSAGE_BYTES })
  await new Promise<void>((resolve, reject) => server.once('listening', resolve).once('error', reject))

  server.on('connection', (socket) => {
    // A socket that breaks is closed by the library; the page comes back by itself.
    socket.on('error', () => undefined)
    if (server.clients.size > MOST_PAGES) {
      socket.terminate()
      return
    }
    greet(socket, token, (hello) => {
      const page = pages.get(hello.page) ?? new Page(hello.page, sink, named)
      pages.set(hello.page, page)
      page.connect(socket, hello.sentMs)
      for (const command of standing.values()) socket.send(command)
    })
  })

  return {
    url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}`,
    token,
    askKeyFrame(key) {
      for (const page of pages.values()) page.askKeyFrame(key)
    },
    say(command) {
      standing.set(command.type === 'pause' || command.type === 'resume' ? 'recording' : command.type, encodeControl(command))
      for (const page of pages.values()) page.say(command)
    },
    health: () => [...pages.values()].map((page) => page.health()),
    async close() {
      for (const socket of server.clients) socket.terminate()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

type SourceName = Extract<FromPage, { type: 'source' }>
/** One page knows the track of an SSRC, another one has its frames. */
type Naming = { readonly names: ReadonlyMap<string, SourceName>; learn(name: SourceName): void }
type Hello = Extract<FromPage, { type: 'hello' }>

/** Nothing is read from a socket before it has said the token. */
function greet(socket: WebSocket, token: string, onHello: (hello: Hello) => void): void {
  const timer = setTimeout(() => socket.terminate(), HELLO_WITHIN_MS)
  socket.once('close', () => clearTimeout(timer))
  socket.once('message', (data, isBinary) => {
    clearTimeout(timer)
    const hello = isBinary ? null : decodeFromPage(data.toString())
    if (hello?.type === 'hello' && isSame(hello.token, token)) onHello(hello)
    else socket.terminate()
  })
}

function isSame(given: string, wanted: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(wanted)]
  return a.length === b.length && timingSafeEqual(a, b)
}

/** One worker in one page, over as many connections as it takes. */
class Page {
  readonly #id: string
  readonly #sink: FrameSink
  readonly #naming: Naming
  readonly #notes = new Map<number, TrackNote>()
  #socket: WebSocket | null = null
  /** Both clocks are the machine's monotonic one, so the smallest difference seen is the true one. */
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
    this.#see(sentMs)
    socket.on('message', (data, isBinary) => {
      // `ws` gives one Buffer per message unless told otherwise.
      const known = isBinary ? this.#frames(data as Buffer) : this.#control(decodeFromPage(data.toString()))
      if (known) return
      this.#sink.problem('The page sent what is not ours; the connection is closed.')
      socket.terminate()
    })
  }

  say(command: ToPage): void {
    if (this.#socket?.readyState === this.#socket?.OPEN) this.#socket?.send(encodeControl(command))
  }

  askKeyFrame(key: string): void {
    for (const number of this.#notes.keys()) if (this.#key(number) === key) this.say({ type: 'keyframe', number })
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

  #see(sentMs: number): void {
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
    if (message === null || (message.type === 'track' && this.#notes.size >= MOST_TRACKS_PER_PAGE)) return false
    if (message.type === 'track') {
      const { type: _, ...note } = message
      this.#notes.set(note.number, note)
      this.#announce(note)
    }
    if (message.type === 'track-ended') this.#end(message.number)
    if (message.type === 'heartbeat') {
      const { sentMs, silentMs, frames, dropped } = message
      this.#see(sentMs)
      this.#health = { ...this.#health, silentMs, frames, dropped }
    }
    if (message.type === 'problem') this.#sink.problem(message.message)
    if (message.type === 'source') this.#naming.learn(message)
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
