// How a caller's socket server is reached: by its URL, through the guard of everything outgoing, without following redirects.
import type { Socket } from 'node:net'
import { type ClientOptions, WebSocket } from 'ws'
import { USER_AGENT } from './outgoing.ts'
import { defaultLookup, guardedConnector, type Lookup } from './outgoing-guard.ts'

type DialOptions = {
  readonly url: string
  /** For development and tests: private addresses are reachable, and `ws` will do. */
  readonly allowPrivate: boolean
  readonly lookup?: Lookup
  readonly timeoutMs: number
  readonly largestMessageBytes: number
}

/** A server that has said goodbye and does not hang up is not waited for longer. */
const HANG_UP_WITHIN_MS = 2_000

/** Each call is a new attempt. */
export function createDial({ url, allowPrivate, lookup, timeoutMs, largestMessageBytes }: DialOptions): () => WebSocket {
  const target = new URL(url)
  // The library throws at a fragment, which is nothing that a server would ever see.
  target.hash = ''
  const { hostname, host, protocol, port } = target
  const connect = guardedConnector({ allowPrivate, lookup: lookup ?? defaultLookup(allowPrivate), timeoutMs })
  // An IPv6 literal has brackets in a URL and none where it is connected to.
  const place = { hostname: hostname.replace(/^\[|\]$/g, ''), host, protocol: protocol === 'wss:' ? 'https:' : 'http:', port }
  const options: ClientOptions = {
    followRedirects: false,
    headers: { 'user-agent': USER_AGENT },
    // What is sent is noise to a compressor, and what is received could be small only as long as it is packed.
    perMessageDeflate: false,
    maxPayload: largestMessageBytes,
    // The library would answer every ping, also of somebody who never reads the answers.
    autoPong: false,
  }
  // The library's types know neither of a connection that is made in its own time nor of this limit.
  const more = {
    createConnection(_: unknown, created: (error: Error | null, socket?: Socket) => void): void {
      connect(place, (error, socket) => (socket ? created(null, socket) : created(error)))
    },
    closeTimeout: HANG_UP_WITHIN_MS,
  }
  return () => new WebSocket(target, Object.assign({}, options, more))
}
