/// <reference lib="dom" />
// The page's WebSocket connection: joins, reconnects by itself, and queues messages while disconnected.
import { type ClientMessage, LIMITS, type ServerMessage } from '../wire.ts'

export type ConnectionEvents = {
  onMessage(message: ServerMessage): void
  /** Also called when the first connection fails. */
  onLost(): void
  onUp(): void
  /** Reconnecting failed for too long. */
  onGivenUp(): void
}

const RETRY_MS = [200, 500, 1_000, 2_000, 3_000]
const GIVE_UP_MS = 60_000
const SILENT_MS = 3 * LIMITS.tickMs + 500
const MOST_KEPT = 200

export class Connection {
  readonly #url: string
  readonly #first: () => ClientMessage
  readonly #events: ConnectionEvents
  #socket: WebSocket
  #token: string | null = null
  #attempt = 0
  #lostAt: number | null = null
  #isOver = false
  #silence: ReturnType<typeof setTimeout> | undefined
  #kept: ClientMessage[] = []

  /** `first` is sent on every new connection without a seat to resume. */
  constructor(url: string, first: () => ClientMessage, events: ConnectionEvents) {
    this.#url = url
    this.#first = first
    this.#events = events
    this.#socket = this.#open()
  }

  send(message: ClientMessage): void {
    if (this.#lostAt === null && this.#token && this.#socket.readyState === WebSocket.OPEN) this.#say(message)
    else if (this.#kept.length < MOST_KEPT) this.#kept.push(message)
  }

  /** Leaves and does not reconnect. */
  leave(): void {
    if (this.#isOver) return
    this.#finish()
    if (this.#socket.readyState === WebSocket.OPEN) this.#say({ kind: 'leave' })
    this.#socket.close(1000)
  }

  #open(): WebSocket {
    const socket = new WebSocket(this.#url)
    socket.onopen = () => this.#say(this.#token ? { kind: 'resume', token: this.#token } : this.#first())
    socket.onmessage = ({ data }) => this.#receive(JSON.parse(String(data)))
    socket.onclose = () => this.#lost()
    this.#watch()
    return socket
  }

  #say(message: ClientMessage): void {
    this.#socket.send(JSON.stringify(message))
  }

  #watch(): void {
    clearTimeout(this.#silence)
    this.#silence = setTimeout(() => this.#lost(), SILENT_MS)
  }

  #receive(message: ServerMessage): void {
    this.#watch()
    if (message.kind === 'over' && message.reason === 'seat_unknown') {
      // The server does not know our seat, for example after a restart, so we join again.
      this.#token = null
      this.#kept = []
      return
    }
    if (message.kind === 'over') this.#finish()
    if (message.kind === 'waiting' || message.kind === 'entered') this.#seated(message.token)
    this.#events.onMessage(message)
  }

  #seated(token: string): void {
    this.#token = token
    this.#attempt = 0
    this.#lostAt = null
    this.#events.onUp()
    for (const message of this.#kept.splice(0)) this.#say(message)
  }

  #lost(): void {
    if (this.#isOver) return
    Object.assign(this.#socket, { onopen: null, onmessage: null, onclose: null })
    this.#socket.close()
    clearTimeout(this.#silence)
    this.#lostAt ??= performance.now()
    this.#events.onLost()
    if (performance.now() - this.#lostAt > GIVE_UP_MS) {
      this.#finish()
      this.#events.onGivenUp()
    } else setTimeout(() => this.#retry(), RETRY_MS[Math.min(this.#attempt++, RETRY_MS.length - 1)])
  }

  #retry(): void {
    if (!this.#isOver) this.#socket = this.#open()
  }

  #finish(): void {
    this.#isOver = true
    clearTimeout(this.#silence)
  }
}
