// The push socket of Teams: text frames `3:::` with an address, headers and a body, like old socket.io.
import { randomUUID } from 'node:crypto'
import { deflateSync } from 'node:zlib'
import type { WebSocket } from 'ws'
import { FRAME_PATHS } from './wire.ts'

type FramePath = (typeof FRAME_PATHS)[keyof typeof FRAME_PATHS]
export type Frame = { readonly path: FramePath; readonly body: unknown; readonly packing: 'plain' | 'packed'; readonly callId: string }

export class Trouter {
  readonly #session = randomUUID()
  /** Frames from before the socket was open. */
  readonly #waiting: Frame[] = []
  #socket: WebSocket | null = null
  #wasConnected = false
  #sent = 0

  /** Returns whether there was a socket before. */
  connect(socket: WebSocket): boolean {
    const isReconnect = this.#wasConnected
    this.#wasConnected = true
    this.#socket = socket
    socket.send('1::')
    socket.send('5:1::{"name":"trouter.connected","args":[{"ttl":"586560"}]}')
    for (const frame of this.#waiting.splice(0)) this.send(frame)
    return isReconnect
  }

  isConnectedBy(socket: WebSocket): boolean {
    return this.#socket === socket
  }

  send(frame: Frame): void {
    if (!this.#socket) {
      this.#waiting.push(frame)
      return
    }
    this.#socket.send(`3:::${JSON.stringify(this.#message(frame))}`)
  }

  /** Without a close frame, as when a network fails. */
  cut(): void {
    const socket = this.#socket
    this.#socket = null
    socket?.terminate()
  }

  close(): void {
    const socket = this.#socket
    this.#socket = null
    this.#waiting.length = 0
    socket?.close()
  }

  #message({ path, body, packing, callId }: Frame) {
    const text = JSON.stringify(body)
    return {
      id: ++this.#sent,
      method: 'POST',
      url: `/v4/f/${this.#session}/callAgent/${this.#session}/${callId.slice(0, 8)}/${path}`,
      headers: { 'X-Microsoft-Skype-Chain-ID': callId, 'Content-Type': 'application/json' },
      body: packing === 'packed' ? deflateSync(text).toString('base64') : text,
    }
  }
}

export function rosterFrame(body: unknown, callId: string): Frame {
  return { path: FRAME_PATHS.rosterUpdate, body, packing: 'packed', callId }
}
