/// <reference lib="dom" />
// The page's end of the wire: sends frames in batches, receives commands, and reconnects.
import { BatchWriter } from '../batch.ts'
import { decodeToPage, encodeControl, type FromPage, type ToPage, type WireFrame } from '../wire.ts'
import type { TapConfig } from './config.ts'
import { type Line, openLine } from './relay.ts'

const HEARTBEAT_MS = 1_000
const RECONNECT_MS = 500
/** Limit of the bytes in the socket or waiting for one. Media beyond it is dropped and counted, so that the page's memory stays bounded. */
const MOST_WAITING_BYTES = 16 * 1024 * 1024

/** Wall time that is never adjusted. */
export function pageNowMs(): number {
  return performance.timeOrigin + performance.now()
}

export class Shipper {
  paused = false
  live = false
  readonly #config: TapConfig
  readonly #onCommand: (command: ToPage) => void
  readonly #page = crypto.randomUUID()
  /** Messages that every new connection repeats. */
  readonly #repeated = new Map<string, FromPage>()
  #waiting: (string | Uint8Array<ArrayBuffer>)[] = []
  #waitingBytes = 0
  readonly #batch = new BatchWriter()
  #batchTimer: ReturnType<typeof setTimeout> | null = null
  #socket: Line | null = null
  #relay: MessagePort | null = null
  #frames = 0
  #dropped = 0

  constructor(config: TapConfig, onCommand: (command: ToPage) => void) {
    this.#config = config
    this.#onCommand = onCommand
    setInterval(() => this.#sendHeartbeat(), HEARTBEAT_MS)
  }

  /** Connects, through the relay if there is one. Called again with null if the relay fails to start. */
  connect(relay: MessagePort | null): void {
    this.#relay = relay
    this.#connect()
  }

  send(message: FromPage): void {
    if (message.kind === 'track') this.#repeated.set(`track ${message.info.number}`, message)
    if (message.kind === 'source') this.#repeated.set(`source ${message.ssrc}`, message)
    if (message.kind === 'track-ended') this.#repeated.delete(`track ${message.number}`)
    // Each new connection repeats tracks and sources. Every other message has to wait for a connection.
    const isRepeated = message.kind === 'track' || message.kind === 'source'
    // The receiver drops frames of an ended track.
    if (message.kind === 'track-ended') this.#flush()
    if (!isRepeated || this.#isOpen()) this.#transmit(encodeControl(message))
  }

  ship(frame: WireFrame): void {
    this.#frames++
    if (this.paused) return
    this.#batch.add(frame)
    if (frame.kind === 'audio' && this.live) this.#flush()
    else this.#batchTimer ??= setTimeout(() => this.#flush(), this.#config.batchMs)
  }

  #flush(): void {
    if (this.#batchTimer !== null) clearTimeout(this.#batchTimer)
    this.#batchTimer = null
    const { frames } = this.#batch
    if (frames > 0 && !this.#transmit(this.#batch.take())) this.#dropped += frames
  }

  #transmit(message: string | Uint8Array<ArrayBuffer>): boolean {
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
      onOpen: () => this.#sayHello(),
      onText: (text) => {
        const command = decodeToPage(text)
        if (command) this.#receive(command)
      },
      onClose: () => setTimeout(() => this.#connect(), RECONNECT_MS),
    })
  }

  #sayHello(): void {
    this.#socket?.send(encodeControl({ kind: 'hello', token: this.#config.token, page: this.#page, sentMs: pageNowMs() }))
    for (const message of this.#repeated.values()) this.#socket?.send(encodeControl(message))
    for (const message of this.#waiting) this.#socket?.send(message)
    this.#waiting = []
    this.#waitingBytes = 0
  }

  #receive(command: ToPage): void {
    if (command.kind === 'pause') {
      this.paused = true
      this.#flush()
    }
    if (command.kind === 'resume') this.paused = false
    if (command.kind === 'live') this.live = command.on
    this.#onCommand(command)
  }

  #sendHeartbeat(): void {
    const counts = { frames: this.#frames, dropped: this.#dropped }
    if (this.#isOpen()) this.#transmit(encodeControl({ kind: 'heartbeat', sentMs: pageNowMs(), ...counts }))
  }
}
