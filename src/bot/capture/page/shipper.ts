/// <reference lib="dom" />
// The page's end of the wire: frames go out in batches, commands come in, and a broken connection is made again.
import { decodeToPage, encodeBatch, encodeControl, type FromPage, type ToPage, type WireFrame } from '../wire.ts'
import type { TapConfig } from './config.ts'
import { type Line, openLine } from './relay.ts'

const HEARTBEAT_MS = 1_000
const RECONNECT_MS = 500
/** What may wait in the socket or for one; beyond it media is dropped and counted, because a page must not grow without end. */
const MOST_WAITING_BYTES = 16 * 1024 * 1024

/** Wall time that never steps. */
export function pageNowMs(): number {
  return performance.timeOrigin + performance.now()
}

export class Shipper {
  paused = false
  live = false
  /** When the page itself last moved; a worker inside somebody else's program cannot know and says nothing. */
  lastAliveMs: number | null = null
  readonly #config: TapConfig
  readonly #obey: (command: ToPage) => void
  readonly #page = crypto.randomUUID()
  /** What every new connection is told again. */
  readonly #standing = new Map<string, FromPage>()
  #waiting: (string | Uint8Array<ArrayBuffer>)[] = []
  #waitingBytes = 0
  #batch: WireFrame[] = []
  #batchTimer: ReturnType<typeof setTimeout> | null = null
  #socket: Line | null = null
  #relay: MessagePort | null = null
  #frames = 0
  #dropped = 0

  constructor(config: TapConfig, obey: (command: ToPage) => void) {
    this.#config = config
    this.#obey = obey
    setInterval(() => this.#beat(), HEARTBEAT_MS)
  }

  /** Connects, through the relay where there is one. Called again when the relay could not be had after all. */
  connect(relay: MessagePort | null): void {
    this.#relay = relay
    this.#connect()
  }

  say(message: FromPage): void {
    if (message.type === 'track') this.#standing.set(`track ${message.number}`, message)
    if (message.type === 'source') this.#standing.set(`source ${message.ssrc}`, message)
    if (message.type === 'track-ended') this.#standing.delete(`track ${message.number}`)
    // Each new connection repeats tracks and sources. Anything else would be lost if it did not wait for one.
    const isRepeated = message.type === 'track' || message.type === 'source'
    if (!isRepeated || this.#isOpen()) this.#send(encodeControl(message))
  }

  ship(frame: WireFrame): void {
    this.#frames++
    if (this.paused) return
    if (frame.kind === 'audio' && this.live) {
      this.#send(encodeBatch([frame]))
      return
    }
    this.#batch.push(frame)
    this.#batchTimer ??= setTimeout(() => this.#flush(), this.#config.batchMs)
  }

  #flush(): void {
    this.#batchTimer = null
    const frames = this.#batch
    this.#batch = []
    if (!this.#send(encodeBatch(frames))) this.#dropped += frames.length
  }

  #send(message: string | Uint8Array<ArrayBuffer>): boolean {
    const socket = this.#socket
    if (socket && this.#isOpen()) {
      if (typeof message !== 'string' && socket.bufferedAmount > MOST_WAITING_BYTES) return false
      socket.send(message)
      return true
    }
    const bytes = typeof message === 'string' ? message.length : message.byteLength
    if (this.#waitingBytes + bytes > MOST_WAITING_BYTES) return false
    this.#waiting.push(message)
    this.#waitingBytes += bytes
    return true
  }

  #isOpen(): boolean {
    return this.#socket?.readyState === WebSocket.OPEN
  }

  #connect(): void {
    this.#socket = openLine(this.#config.url, this.#relay, {
      opened: () => this.#greet(),
      text: (text) => {
        const command = decodeToPage(text)
        if (command) this.#receive(command)
      },
      closed: () => setTimeout(() => this.#connect(), RECONNECT_MS),
    })
  }

  #greet(): void {
    this.#socket?.send(encodeControl({ type: 'hello', token: this.#config.token, page: this.#page, sentMs: pageNowMs() }))
    for (const message of this.#standing.values()) this.#socket?.send(encodeControl(message))
    for (const message of this.#waiting) this.#socket?.send(message)
    this.#waiting = []
    this.#waitingBytes = 0
  }

  #receive(command: ToPage): void {
    if (command.type === 'pause') this.paused = true
    if (command.type === 'resume') this.paused = false
    if (command.type === 'live') this.live = command.on
    this.#obey(command)
  }

  #beat(): void {
    const sentMs = pageNowMs()
    const silentMs = this.lastAliveMs === null ? 0 : sentMs - this.lastAliveMs
    if (this.#isOpen()) this.#send(encodeControl({ type: 'heartbeat', sentMs, frames: this.#frames, dropped: this.#dropped, silentMs }))
  }
}
