/// <reference lib="dom" />
// Where the client decodes media by itself, there are no tracks: its sound goes to the speakers and its pictures to canvases. Both are sent
// through a connection from the page to itself, so that the recording finds them as it finds every other track.

const LOOK_EVERY_MS = 1_000
const FRAMES_PER_SECOND = 15
/** The page's own streams. Nobody's: all participants are in it. */
const MIX = 'mix'
/** Zoom's own form of a stream's id: the node first. */
const streamOf = (node: string) => `${node}+CS+canvas`

type Sent = { stop(): void }

/** Before the SDK is loaded. */
export function shareDecoded(): void {
  const speakers = new Set<MediaStreamTrack>()
  teeSpeakers((track) => speakers.add(track))
  const received = { audio: 0 }
  countReceived(received)
  const sent = new Map<string, Sent>()
  setInterval(() => {
    // A client that has tracks may play them through the same nodes.
    const sounds = received.audio === 0 ? [...speakers].map((track): Wanted => [`${MIX}+${track.id}`, () => track]) : []
    const pictures = [...canvases()].map(([node, canvas]): Wanted => [streamOf(node), () => pictureOf(canvas)])
    sendOnly(new Map([...sounds, ...pictures]), sent)
  }, LOOK_EVERY_MS)
}

type Wanted = readonly [id: string, make: () => MediaStreamTrack | null]

function sendOnly(wanted: ReadonlyMap<string, Wanted[1]>, sent: Map<string, Sent>): void {
  for (const [id, it] of sent) if (!wanted.has(id) && sent.delete(id)) it.stop()
  for (const [id, make] of wanted) {
    const track = sent.has(id) ? null : make()
    if (track) sent.set(id, send(track, id))
  }
}

/** Everything that goes to the speakers goes into a track as well. */
function teeSpeakers(onTrack: (track: MediaStreamTrack) => void): void {
  const { connect } = AudioNode.prototype
  const tees = new WeakMap<BaseAudioContext, MediaStreamAudioDestinationNode>()
  const teeOf = (context: AudioContext): MediaStreamAudioDestinationNode => {
    const known = tees.get(context)
    if (known) return known
    const tee = context.createMediaStreamDestination()
    tees.set(context, tee)
    for (const track of tee.stream.getAudioTracks()) onTrack(track)
    return tee
  }
  Object.assign(AudioNode.prototype, {
    connect(this: AudioNode, ...given: unknown[]) {
      const { context } = this
      if (given[0] instanceof AudioDestinationNode && context instanceof AudioContext) Reflect.apply(connect, this, [teeOf(context)])
      return Reflect.apply(connect, this, given)
    },
  })
}

const own = new WeakSet<RTCPeerConnection>()

function countReceived(received: { audio: number }): void {
  window.RTCPeerConnection = new Proxy(window.RTCPeerConnection, {
    construct(target, given, newTarget) {
      const connection = Reflect.construct(target, given, newTarget) as RTCPeerConnection
      connection.addEventListener('track', ({ track }) => {
        if (own.has(connection) || track.kind !== 'audio') return
        received.audio++
        track.addEventListener('ended', () => received.audio--)
      })
      return connection
    },
  })
}

/** A tile names its node. The bot's own tile is among them, and has no owner for the recording. */
function canvases(): ReadonlyMap<string, HTMLCanvasElement> {
  const found = new Map<string, HTMLCanvasElement>()
  for (const player of document.querySelectorAll('video-player[node-id]')) {
    const canvas = (player.shadowRoot ?? player).querySelector('canvas')
    const node = player.getAttribute('node-id') ?? ''
    if (canvas && /^\d+$/.test(node) && !found.has(node)) found.set(node, canvas)
  }
  return found
}

/** Null where the client paints it in a worker that lets nobody look. */
function pictureOf(canvas: HTMLCanvasElement): MediaStreamTrack | null {
  try {
    return canvas.captureStream(FRAMES_PER_SECOND).getVideoTracks()[0] ?? null
  } catch {
    return null
  }
}

function send(track: MediaStreamTrack, streamId: string): Sent {
  const [from, to] = [new RTCPeerConnection(), new RTCPeerConnection()]
  own.add(from).add(to)
  const candidates = (source: RTCPeerConnection, target: RTCPeerConnection) => {
    source.onicecandidate = ({ candidate }) => candidate && void target.addIceCandidate(candidate).catch(() => undefined)
  }
  candidates(from, to)
  candidates(to, from)
  const stream = new MediaStream([track])
  from.addTransceiver(track, { direction: 'sendonly', streams: [stream] })
  const negotiate = async () => {
    const { type, sdp = '' } = await from.createOffer()
    await from.setLocalDescription({ type, sdp })
    await to.setRemoteDescription({ type, sdp: sdp.replaceAll(stream.id, streamId) })
    await to.setLocalDescription()
    if (to.localDescription) await from.setRemoteDescription(to.localDescription)
  }
  // A page that goes away in the middle of it has nothing to send.
  negotiate().catch(() => undefined)
  return {
    stop() {
      from.close()
      to.close()
    },
  }
}
