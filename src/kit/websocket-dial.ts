// Opens WebSockets through the address guard, without following redirects.
import type { Socket } from 'node:net'
import { type ClientOptions, WebSocket } from 'ws'
import { defaultLookup, guardedConnector, type Lookup } from './address-guard.ts'
import { USER_AGENT } from './http-client.ts'

type DialOptions = {
  readonly url: string | URL
  /** False turns the address guard on. */
  readonly allowPrivate: boolean
  readonly lookup?: Lookup
  readonly headers?: Readonly<Record<string, string>>
  readonly timeoutMs: number
  readonly largestMessageBytes: number
}

/** How long to wait for the server to close the connection after the close frame. */
const HANG_UP_WITHIN_MS = 2_000

/** Each call of the result is a new attempt. */
export function createDial({ url, allowPrivate, lookup, headers, timeoutMs, largestMessageBytes }: DialOptions): () => WebSocket {
  const target = new URL(url)
  // The library throws at a fragment, which is never sent.
  target.hash = ''
  const { hostname, host, protocol, port } = target
  const connect = guardedConnector({ allowPrivate, lookup: lookup ?? defaultLookup(allowPrivate), timeoutMs })
  // An IPv6 literal has brackets in a URL and none in a connect call.
  const place = { hostname: hostname.replace(/^\[|\]$/g, ''), host, protocol: protocol === 'wss:' ? 'https:' : 'http:', port }
  const options: ClientOptions = {
    followRedirects: false,
    headers: { 'user-agent': USER_AGENT, ...headers },
    // Audio does not compress, and a small compressed message could inflate beyond any limit.
    perMessageDeflate: false,
    maxPayload: largestMessageBytes,
    // Pongs to a peer that never reads would fill the buffer.
    autoPong: false,
  }
  // Both exist in the library but not in its types.
  const more = {
    createConnection(_: unknown, created: (error: Error | null, socket?: Socket) => void): void {
      connect(place, (error, socket) => (socket ? created(null, socket) : created(error)))
    },
    closeTimeout: HANG_UP_WITHIN_MS,
  }
  return () => new WebSocket(target, Object.assign({}, options, more))
}
