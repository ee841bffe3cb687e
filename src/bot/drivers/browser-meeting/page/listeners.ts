/// <reference lib="dom" />
// Reports copies of the client's data channel messages and session descriptions, without changing them.
import { onNewConnection } from '../../../worker/page/connections.ts'
import type { DriverProfile } from '../../driver.ts'
import type { Traffic } from '../meeting-client.ts'
import type { Report } from './hidden-binding.ts'

export type Listened = Traffic['listensTo'] & Pick<DriverProfile, 'ignoredSources'>

type ConnectionTools = Pick<Listened, 'channels' | 'sent' | 'description' | 'tracks'> & {
  readonly report: Report
  readonly onConnection: (connection: RTCPeerConnection) => void
}

/** Reports what the page's connections carry. */
export function followConnections({ channels, sent = {}, description, tracks, report, onConnection }: ConnectionTools): void {
  const followChannel = (channel: RTCDataChannel) => {
    if (channels.includes(channel.label)) readChannel(channel, report)
    const kind = Object.hasOwn(sent, channel.label) ? sent[channel.label] : undefined
    if (kind !== undefined) readSent(channel, kind, report)
  }
  const { prototype } = RTCPeerConnection
  onNewConnection((connection) => {
    connection.addEventListener('datachannel', ({ channel }) => followChannel(channel))
    if (tracks) connection.addEventListener('track', (event) => report({ kind: tracks, text: trackOf(event) }))
    onConnection(connection)
  })
  const { createDataChannel } = prototype
  // The page's own channels cause no event.
  prototype.createDataChannel = function (...args) {
    const channel = createDataChannel.apply(this, args)
    followChannel(channel)
    return channel
  }
  if (description) followDescriptions(prototype, description, report)
}

function followDescriptions(prototype: RTCPeerConnection, kind: string, report: Report): void {
  const native = prototype.setRemoteDescription as (this: RTCPeerConnection, ...args: unknown[]) => Promise<void>
  Object.assign(prototype, {
    setRemoteDescription(this: RTCPeerConnection, ...args: unknown[]): Promise<void> {
      const sdp: unknown = Reflect.get(Object(args[0]), 'sdp')
      if (typeof sdp === 'string') report({ kind, text: sdp })
      return native.apply(this, args)
    },
  })
}

/** The remote side names streams, the browser names tracks. */
function trackOf({ track, streams }: RTCTrackEvent): string {
  return JSON.stringify({ id: track.id, kind: track.kind, streamId: streams[0]?.id ?? '' })
}

function readChannel(channel: RTCDataChannel, report: Report): void {
  // A blob is read asynchronously; reports stay in order.
  let last = Promise.resolve()
  channel.addEventListener('message', ({ data }: MessageEvent<unknown>) => {
    const send = async (): Promise<void> => {
      const bytes = await bytesOf(data)
      if (bytes) report({ kind: channel.label, data: base64(bytes) })
    }
    // An unreadable message must not stop the next ones.
    last = last.then(send).catch(() => undefined)
  })
}

function readSent(channel: RTCDataChannel, kind: string, report: Report): void {
  const native = channel.send as (data: unknown) => void
  const send = (data: unknown): void => {
    native.call(channel, data)
    const bytes = ArrayBuffer.isView(data) ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength) : data
    if (typeof data === 'string') report({ kind, text: data })
    else if (bytes instanceof Uint8Array || bytes instanceof ArrayBuffer) report({ kind, data: base64(new Uint8Array(bytes)) })
  }
  Object.defineProperty(channel, 'send', { value: send, configurable: true, writable: true })
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
