/// <reference lib="dom" />
// Reports what the page sends on the data channels and sockets that the driver reads, and every session description.
import { reporter } from './hidden-binding.ts'

export type SentRules = {
  /** Labels of data channels. */
  readonly channels: readonly string[]
  /** Parts of the addresses of sockets. */
  readonly sockets: readonly string[]
}

export function followSent(name: string, { channels, sockets }: SentRules): void {
  const report = reporter(name)
  followDescriptions(report)
  followSend(RTCDataChannel.prototype, ({ label }) => (channels.includes(label) ? label : null), report)
  followSend(WebSocket.prototype, ({ url }) => sockets.find((part) => url.includes(part)) ?? null, report)
}

type Sender = { send(data: unknown): void }

/** `nameOf`: null for those that the driver does not read. */
function followSend<Kind extends object>(prototype: Kind, nameOf: (it: Kind) => string | null, report: (message: object) => void): void {
  const native = (prototype as Sender).send
  Object.assign(prototype, {
    send(this: Kind, data: unknown): void {
      native.call(this, data)
      const on = nameOf(this)
      if (on !== null) report({ kind: 'sent', on, ...contentOf(data) })
    },
  })
}

function contentOf(data: unknown): { readonly text?: string; readonly data?: string } {
  if (typeof data === 'string') return { text: data }
  const bytes = ArrayBuffer.isView(data) ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength) : data
  if (!(bytes instanceof Uint8Array || bytes instanceof ArrayBuffer)) return {}
  return { data: btoa(Array.from(new Uint8Array(bytes), (byte) => String.fromCharCode(byte)).join('')) }
}

function followDescriptions(report: (message: object) => void): void {
  const { prototype } = RTCPeerConnection
  for (const side of ['local', 'remote'] as const) {
    const name = side === 'local' ? 'setLocalDescription' : 'setRemoteDescription'
    const native = prototype[name] as (this: RTCPeerConnection, ...args: unknown[]) => Promise<void>
    Object.assign(prototype, {
      [name](this: RTCPeerConnection, ...args: unknown[]): Promise<void> {
        const done = native.apply(this, args)
        // A local description may be left to the browser.
        done.then(
          () => reportOf(this, side, args[0], report),
          () => undefined,
        )
        return done
      },
    })
  }
}

function reportOf(connection: RTCPeerConnection, side: 'local' | 'remote', given: unknown, report: (message: object) => void): void {
  const description = side === 'local' ? connection.localDescription : connection.remoteDescription
  const { type, sdp } = description ?? (given as RTCSessionDescription)
  report({ kind: 'description', side, type, sdp })
}
