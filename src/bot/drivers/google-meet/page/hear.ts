/// <reference lib="dom" />
// What the meeting tells its page, told on: the page's own channels and requests, copied and never touched.

export type Tell = (message: object) => void

/** The data channels that are read, by their label. */
const CHANNELS: readonly string[] = ['collections', 'captions']
const SYNC = 'MeetingSpaceService/SyncMeetingSpaceCollections'

/** On the prototype, so that it does not matter who made a connection, or who else follows them. */
export function followConnections(tell: Tell, onConnection: (connection: RTCPeerConnection) => void): void {
  const known = new WeakSet<RTCPeerConnection>()
  const meet = (connection: RTCPeerConnection): void => {
    if (known.has(connection)) return
    known.add(connection)
    connection.addEventListener('datachannel', ({ channel }) => followChannel(channel, tell))
    onConnection(connection)
  }
  const { prototype } = RTCPeerConnection
  const { createDataChannel } = prototype
  prototype.createDataChannel = function (...args) {
    meet(this)
    const channel = createDataChannel.apply(this, args)
    followChannel(channel, tell)
    return channel
  }
  // Before either of these a connection carries nothing.
  for (const name of ['setLocalDescription', 'setRemoteDescription'] as const) {
    const native = prototype[name] as (this: RTCPeerConnection, ...args: unknown[]) => Promise<void>
    Object.assign(prototype, {
      [name](this: RTCPeerConnection, ...args: unknown[]): Promise<void> {
        meet(this)
        return native.apply(this, args)
      },
    })
  }
}

function followChannel(channel: RTCDataChannel, tell: Tell): void {
  const kind = channel.label
  if (!CHANNELS.includes(kind)) return
  // A blob gives its bytes later than an array; the order stays.
  let last = Promise.resolve()
  channel.addEventListener('message', ({ data }: MessageEvent<unknown>) => {
    const pass = async (): Promise<void> => {
      const bytes = await bytesOf(data)
      if (bytes) tell({ kind, data: base64(bytes) })
    }
    // One that cannot be read must not silence those behind it.
    last = last.then(pass).catch(() => undefined)
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

export function followRequests(tell: Tell): void {
  const native = window.fetch
  window.fetch = function (...args) {
    const answer = native.apply(this, args)
    if (addressOf(args[0]).includes(SYNC)) answer.then(async (response) => tellAnswer(response.clone(), tell)).catch(() => undefined)
    return answer
  }
}

async function tellAnswer(response: Response, tell: Tell): Promise<void> {
  if (response.ok) tell({ kind: 'sync', data: await response.text() })
}

function addressOf(request: RequestInfo | URL): string {
  return request instanceof Request ? request.url : String(request)
}
