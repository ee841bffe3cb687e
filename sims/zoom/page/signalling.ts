/// <reference lib="dom" />
// The command socket. It lives in a worker, which hands each message over as `{ type: 'message', data }`.
import type { FromPage, FromServer, PageOptions } from '../site/wire.ts'

export type SignallingEvents = {
  readonly onMessage: (message: FromServer) => void
  /** `lost`: the socket closed by itself, and is opened again and again. */
  readonly onState: (state: 'open' | 'lost') => void
}

const RETRY_MS = 500

/** Runs in the worker. */
function work(): void {
  let socket: WebSocket | null = null
  const open = (url: string) => {
    socket = new WebSocket(url)
    socket.onopen = () => self.postMessage({ type: 'open' })
    socket.onclose = () => self.postMessage({ type: 'close' })
    socket.onmessage = ({ data }) => self.postMessage({ type: 'message', data })
  }
  self.onmessage = ({ data }) => {
    if (data.type === 'open') open(data.url)
    else if (data.type === 'send' && socket?.readyState === WebSocket.OPEN) socket.send(data.data)
    else if (data.type === 'close') socket?.close()
  }
}

const AS_OBJECT =
  'const post = self.postMessage.bind(self); self.postMessage = (it) => post(it.type === "message" ? { ...it, data: JSON.parse(it.data) } : it);'

export class Signalling {
  readonly #worker: Worker
  readonly #url: string
  readonly #events: SignallingEvents
  #isClosed = false

  constructor(url: string, form: PageOptions['signalling'], events: SignallingEvents) {
    this.#url = url
    this.#events = events
    const source = `${form === 'object' ? AS_OBJECT : ''}(${work})()`
    this.#worker = new Worker(URL.createObjectURL(new Blob([source], { type: 'text/javascript' })))
    this.#worker.addEventListener('message', ({ data }: MessageEvent) => this.#receive(data))
    this.#worker.postMessage({ type: 'open', url })
  }

  send(message: FromPage): void {
    this.#worker.postMessage({ type: 'send', data: JSON.stringify(message) })
  }

  close(): void {
    this.#isClosed = true
    this.#worker.postMessage({ type: 'close' })
  }

  #receive({ type, data }: { readonly type: string; readonly data?: string | FromServer }): void {
    if (type === 'message' && data !== undefined) this.#events.onMessage(typeof data === 'string' ? (JSON.parse(data) as FromServer) : data)
    else if (type === 'open') this.#events.onState('open')
    else if (type === 'close' && !this.#isClosed) this.#retry()
  }

  #retry(): void {
    this.#events.onState('lost')
    setTimeout(() => {
      if (!this.#isClosed) this.#worker.postMessage({ type: 'open', url: this.#url })
    }, RETRY_MS)
  }
}
