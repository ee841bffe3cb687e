/// <reference lib="dom" />
// Sends through a shared worker. The browser reports every byte on a dedicated worker's socket to the process that drives the page, which
// costs more than the rest of the tap. A shared worker belongs to no page, so its sockets are not reported.

/** The part of a WebSocket that the tap uses once it is open. */
export type Line = {
  readonly readyState: number
  readonly bufferedAmount: number
  send(message: string | Uint8Array<ArrayBuffer>): void
}

export type LineEvents = {
  onOpen(): void
  onText(text: string): void
  onClose(): void
}

/** Connects directly if there is no relay. */
export function openLine(url: string, relay: MessagePort | null, events: LineEvents): Line {
  return relay ? new RelayedSocket(url, relay, events) : openSocket(url, events)
}

type ToRelay = { readonly kind: 'open'; readonly url: string } | { readonly kind: 'send'; readonly data: string | Uint8Array<ArrayBuffer> }
type FromRelay =
  | { readonly kind: 'opened' | 'closed' }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'sent'; readonly bytes: number; readonly bufferedBytes: number }

class RelayedSocket implements Line {
  readyState: number = WebSocket.CONNECTING
  readonly #port: MessagePort
  readonly #events: LineEvents
  /** Bytes on their way to the relay, and bytes in its socket. */
  #postedBytes = 0
  #bufferedBytes = 0

  constructor(url: string, port: MessagePort, events: LineEvents) {
    this.#port = port
    this.#events = events
    port.onmessage = ({ data }: MessageEvent<FromRelay>) => this.#onMessage(data)
    this.#post({ kind: 'open', url })
  }

  get bufferedAmount(): number {
    return this.#postedBytes + this.#bufferedBytes
  }

  send(data: string | Uint8Array<ArrayBuffer>): void {
    if (typeof data === 'string') this.#post({ kind: 'send', data })
    else {
      this.#postedBytes += data.byteLength
      this.#post({ kind: 'send', data }, [data.buffer])
    }
  }

  #post(message: ToRelay, transfer: Transferable[] = []): void {
    this.#port.postMessage(message, transfer)
  }

  #onMessage(message: FromRelay): void {
    if (message.kind === 'text') this.#events.onText(message.text)
    if (message.kind === 'sent') {
      this.#postedBytes -= message.bytes
      this.#bufferedBytes = message.bufferedBytes
    }
    if (message.kind === 'opened') {
      this.readyState = WebSocket.OPEN
      this.#events.onOpen()
    }
    if (message.kind === 'closed') {
      this.readyState = WebSocket.CLOSED
      this.#events.onClose()
    }
  }
}

/** The shared worker: one port, one socket at a time. */
export function startRelay(): void {
  const scope = self as unknown as { onconnect: ((event: MessageEvent) => void) | null }
  scope.onconnect = ({ ports: [port] }) => port && relay(port)
}

function relay(port: MessagePort): void {
  const post = (message: FromRelay) => port.postMessage(message)
  const events: LineEvents = {
    onOpen: () => post({ kind: 'opened' }),
    onText: (text) => post({ kind: 'text', text }),
    onClose: () => post({ kind: 'closed' }),
  }
  const bin = openBin()
  let socket: WebSocket | null = null
  port.onmessage = ({ data: message }: MessageEvent<ToRelay>) => {
    if (message.kind === 'open') socket = openSocket(message.url, events)
    else if (socket?.readyState === WebSocket.OPEN) {
      const { data } = message
      socket.send(data)
      if (typeof data === 'string') return
      post({ kind: 'sent', bytes: data.byteLength, bufferedBytes: socket.bufferedAmount })
      bin.postMessage(null, [data.buffer])
    }
  }
}

/** Frees a buffer that is transferred to it. Otherwise the browser keeps it until the next garbage collection, minutes later. */
function openBin(): MessagePort {
  const { port1, port2 } = new MessageChannel()
  port2.close()
  return port1
}

function openSocket(url: string, events: LineEvents): WebSocket {
  const socket = new WebSocket(url)
  socket.onopen = () => events.onOpen()
  socket.onmessage = ({ data }) => events.onText(String(data))
  socket.onclose = () => events.onClose()
  return socket
}
