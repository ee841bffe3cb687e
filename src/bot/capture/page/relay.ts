/// <reference lib="dom" />
// The socket's way through a shared worker. What a page's own worker sends is told again, byte for byte, to whoever drives the page: it
// would cost more than the whole tap. A shared worker belongs to no page, and nobody listens to its sockets.

/** What is needed of a WebSocket once it is open. */
export type Line = {
  readonly readyState: number
  readonly bufferedAmount: number
  send(message: string | Uint8Array<ArrayBuffer>): void
}

export type LineEvents = {
  opened(): void
  text(text: string): void
  closed(): void
}

/** Straight where there is no relay. */
export function openLine(url: string, relay: MessagePort | null, events: LineEvents): Line {
  return relay ? new RelayedSocket(url, relay, events) : openSocket(url, events)
}

type ToRelay = { readonly open: string } | { readonly send: string | Uint8Array<ArrayBuffer> }
type FromRelay =
  | { readonly opened: true }
  | { readonly closed: true }
  | { readonly text: string }
  | { readonly taken: number; readonly buffered: number }

class RelayedSocket implements Line {
  readyState: number = WebSocket.CONNECTING
  readonly #port: MessagePort
  readonly #events: LineEvents
  #underWay = 0
  #buffered = 0

  constructor(url: string, port: MessagePort, events: LineEvents) {
    this.#port = port
    this.#events = events
    port.onmessage = ({ data }: MessageEvent<FromRelay>) => this.#hear(data)
    this.#tell({ open: url })
  }

  get bufferedAmount(): number {
    return this.#underWay + this.#buffered
  }

  send(message: string | Uint8Array<ArrayBuffer>): void {
    if (typeof message === 'string') this.#tell({ send: message })
    else {
      this.#underWay += message.byteLength
      this.#tell({ send: message }, [message.buffer])
    }
  }

  #tell(message: ToRelay, transfer: Transferable[] = []): void {
    this.#port.postMessage(message, transfer)
  }

  #hear(message: FromRelay): void {
    if ('text' in message) this.#events.text(message.text)
    if ('buffered' in message) {
      this.#underWay -= message.taken
      this.#buffered = message.buffered
    }
    if ('opened' in message) {
      this.readyState = WebSocket.OPEN
      this.#events.opened()
    }
    if ('closed' in message) {
      this.readyState = WebSocket.CLOSED
      this.#events.closed()
    }
  }
}

/** The shared worker: one port, one socket at a time. */
export function startRelay(): void {
  const scope = self as unknown as { onconnect: ((event: MessageEvent) => void) | null }
  scope.onconnect = ({ ports: [port] }) => port && relay(port)
}

function relay(port: MessagePort): void {
  const tell = (message: FromRelay) => port.postMessage(message)
  const events: LineEvents = {
    opened: () => tell({ opened: true }),
    text: (text) => tell({ text }),
    closed: () => tell({ closed: true }),
  }
  let socket: WebSocket | null = null
  port.onmessage = ({ data }: MessageEvent<ToRelay>) => {
    if ('open' in data) socket = openSocket(data.open, events)
    else if (socket?.readyState === WebSocket.OPEN) {
      const { send } = data
      const taken = typeof send === 'string' ? 0 : send.byteLength
      socket.send(send)
      if (taken > 0) tell({ taken, buffered: socket.bufferedAmount })
    }
  }
}

function openSocket(url: string, events: LineEvents): WebSocket {
  const socket = new WebSocket(url)
  socket.onopen = () => events.opened()
  socket.onmessage = ({ data }) => events.text(String(data))
  socket.onclose = () => events.closed()
  return socket
}
