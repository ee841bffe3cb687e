/// <reference lib="dom" />
// For clients that decode media themselves: copies their audio from the speakers and their video from canvases into tracks. Both go through
// a peer connection within the page, where the recording finds them like any other track.
import { onNewConnection } from '../../../worker/page/connections.ts'

const LOOK_EVERY_MS = 1_000
const FRAMES_PER_SECOND = 15
/** The stream of the mixed audio. It has no owner, because it contains all participants. */
const MIX = 'mix'
/** Zoom's form of a stream id: the node first. */
const streamOf = (node: string) => `${node}+CS+canvas`

/** A connection within one page is up in well under a second. */
const CONNECTED_WITHIN_MS = 15_000
/** For each source. */
const MOST_TRIES = 3

type Sent = { readonly hasFailed: boolean; stop(): void }

/** Runs before the client's own code. `onFailure`: the audio or video of a source cannot be recorded. */
export function shareDecoded(onFailure: (text: string) => void): void {
  const speakers = new Set<MediaStreamTrack>()
  teeSpeakers((track) => speakers.add(track))
  const received = { audio: 0 }
  countReceived(received)
  const sender = new Sender(onFailure)
  setInterval(() => {
    // A client that receives tracks may play them through the same nodes, and they are recorded already.
    const sounds = received.audio === 0 ? [...speakers].map((track): Wanted => [`${MIX}+${track.id}`, () => track]) : []
    const pictures = [...canvases()].map(([node, canvas]): Wanted => [streamOf(node), () => pictureOf(canvas)])
    sender.sendOnly(new Map([...sounds, ...pictures]))
  }, LOOK_EVERY_MS)
}

type Wanted = readonly [id: string, make: () => MediaStreamTrack | null]

class Sender {
  readonly #sent = new Map<string, Sent>()
  readonly #failures = new Map<string, number>()
  readonly #onFailure: (text: string) => void

  constructor(onFailure: (text: string) => void) {
    this.#onFailure = onFailure
  }

  sendOnly(wanted: ReadonlyMap<string, Wanted[1]>): void {
    for (const [id, it] of this.#sent) if (it.hasFailed || !wanted.has(id)) this.#drop(id, it)
    for (const [id, make] of wanted) {
      const isOpen = this.#sent.has(id) || (this.#failures.get(id) ?? 0) >= MOST_TRIES
      const track = isOpen ? null : make()
      if (track) this.#sent.set(id, send(track, id))
    }
  }

  #drop(id: string, it: Sent): void {
    this.#sent.delete(id)
    it.stop()
    if (!it.hasFailed) return
    const failures = (this.#failures.get(id) ?? 0) + 1
    this.#failures.set(id, failures)
    if (failures === MOST_TRIES) this.#onFailure(`the connection of ${id} within the page failed ${failures} times`)
  }
}

/** Connects everything that goes to the speakers to a track as well. */
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
  onNewConnection((connection) =>
    connection.addEventListener('track', ({ track }) => {
      if (own.has(connection) || track.kind !== 'audio') return
      received.audio++
      track.addEventListener('ended', () => received.audio--)
    }),
  )
}

/** A tile names its node. The bot's own tile is included, and has no owner in the recording. */
function canvases(): ReadonlyMap<string, HTMLCanvasElement> {
  const found = new Map<string, HTMLCanvasElement>()
  for (const player of document.querySelectorAll('video-player[node-id]')) {
    const canvas = (player.shadowRoot ?? player).querySelector('canvas')
    const node = player.getAttribute('node-id') ?? ''
    if (canvas && /^\d+$/.test(node) && !found.has(node)) found.set(node, canvas)
  }
  return found
}

/** Null where the client draws in a worker, so that the canvas cannot be captured. */
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
  const sent = {
    hasFailed: false,
    stop() {
      clearTimeout(timer)
      from.close()
      to.close()
    },
  }
  const fail = () => {
    sent.hasFailed = true
  }
  const timer = setTimeout(fail, CONNECTED_WITHIN_MS)
  to.onconnectionstatechange = () => {
    if (to.connectionState === 'connected') clearTimeout(timer)
    if (to.connectionState === 'failed') fail()
  }
  negotiate().catch(fail)
  return sent
}
