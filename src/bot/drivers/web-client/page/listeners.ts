/// <reference lib="dom" />
// Listens to the client's own data channels and requests: what they bring is copied and reported, never touched.

import type { DriverProfile } from '../../driver.ts'
import type { WebClient } from '../web-client.ts'

export type Report = (message: object) => void

export type Listened = NonNullable<WebClient['listens']> & Pick<DriverProfile, 'ignoredSources'>

type ConnectionTools = {
  readonly channels: readonly string[]
  readonly report: Report
  readonly onConnection: (connection: RTCPeerConnection) => void
}

/** On the prototype, so that it does not matter who made a connection, or who else follows them. */
export function followConnections({ channels, report, onConnection }: ConnectionTools): void {
  const known = new WeakSet<RTCPeerConnection>()
  const followChannel = (channel: RTCDataChannel) => channels.includes(channel.label) && readChannel(channel, report)
  const follow = (connection: RTCPeerConnection): void => {
    if (known.has(connection)) return
    known.add(connection)
    connection.addEventListener('datachannel', ({ channel }) => followChannel(channel))
    onConnection(connection)
  }
  const { prototype } = RTCPeerConnection
  const { createDataChannel } = prototype
  prototype.createDataChannel = function (...args) {
    follow(this)
    const channel = createDataChannel.apply(this, args)
    followChannel(channel)
    return channel
  }
  // Before either of these a connection carries nothing.
  for (const name of ['setLocalDescription', 'setRemoteDescription'] as const) {
    const native = prototype[name] as (this: RTCPeerConnection, ...args: unknown[]) => Promise<void>
    Object.assign(prototype, {
      [name](this: RTCPeerConnection, ...args: unknown[]): Promise<void> {
        follow(this)
        return native.apply(this, args)
      },
    })
  }
}

function readChannel(channel: RTCDataChannel, report: Report): void {
  // A blob gives its bytes later than an array; the order stays.
  let last = Promise.resolve()
  channel.addEventListener('message', ({ data }: MessageEvent<unknown>) => {
    const send = async (): Promise<void> => {
      const bytes = await bytesOf(data)
      if (bytes) report({ kind: channel.label, data: base64(bytes) })
    }
    // A message that cannot be read must not silence those behind it.
    last = last.then(send).catch(() => undefined)
  })
}

async function bytesOf(data: unknown): Promise<Uint8Array | null> {
  if (data instanceof ArrayBuffer) return new Uint8Array(data)
  return data instanceof Blob ? new Uint8Array(await data.arrayBuffer()) : null
}

const PIECE = 0x8000

function base64(bytes: Uint8Array): string {
  let text = ''
  for (let at = 0; at < bytes.length; at += PIECE) text += String.fromCharCode(...bytes.subarray(at, at + PIECE))
  return btoa(text)
}

export function followRequests(answers: Listened['answers'], report: Report): void {
  const native = window.fetch
  window.fetch = function (...args) {
    const answer = native.apply(this, args)
    const address = addressOf(args[0])
    for (const [kind, part] of Object.entries(answers)) {
      if (address.includes(part)) answer.then(async (response) => reportAnswer(kind, response.clone(), report)).catch(() => undefined)
    }
    return answer
  }
}

async function reportAnswer(kind: string, response: Response, report: Report): Promise<void> {
  report(response.ok ? { kind, data: await response.text() } : { kind, status: response.status })
}

function addressOf(request: RequestInfo | URL): string {
  return request instanceof Request ? request.url : String(request)
}
