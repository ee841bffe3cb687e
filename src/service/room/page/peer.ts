/// <reference lib="dom" />
// The peer connection to one other person. Three transceivers in a fixed order (microphone, camera, screen), made by the one who
// came later; after that tracks are only replaced, so nothing is negotiated again but a new path (perfect negotiation, either side).
import { type Description, type IceServer, MEDIA_KINDS, type MediaKind, type Signal } from '../wire.ts'

export type Tracks = Readonly<Record<MediaKind, MediaStreamTrack | null>>

export type RemoteTrack = {
  readonly person: string
  readonly kind: MediaKind
  readonly track: MediaStreamTrack
  readonly receiver: RTCRtpReceiver
  readonly mid: string | null
}

export type PeerOptions = {
  readonly person: string
  /** The one who came later offers, and gives way when two offers cross. */
  readonly offers: boolean
  readonly iceServers: readonly IceServer[]
  readonly tracks: Tracks
  readonly send: (signal: Signal) => void
  readonly onTrack: (track: RemoteTrack) => void
}

const ENCODINGS: Readonly<Record<MediaKind, RTCRtpEncodingParameters>> = {
  microphone: { maxBitrate: 48_000 },
  camera: { maxBitrate: 1_200_000, maxFramerate: 30 },
  screen: { maxBitrate: 2_500_000, maxFramerate: 15 },
}

export class Peer {
  readonly person: string
  readonly #pc: RTCPeerConnection
  readonly #options: PeerOptions
  #tracks: Tracks
  #isOffering = false
  #isIgnoring = false

  constructor(options: PeerOptions) {
    this.person = options.person
    this.#options = options
    this.#tracks = options.tracks
    const pc = new RTCPeerConnection({ iceServers: options.iceServers as RTCIceServer[], bundlePolicy: 'max-bundle' })
    this.#pc = pc
    pc.onnegotiationneeded = () => this.#offer()
    pc.onicecandidate = ({ candidate }) => candidate && options.send({ candidate: candidateOf(candidate) })
    pc.onconnectionstatechange = () => pc.connectionState === 'failed' && pc.restartIce()
    pc.ontrack = ({ transceiver, track, receiver }) => {
      const kind = MEDIA_KINDS[pc.getTransceivers().indexOf(transceiver)]
      if (kind) options.onTrack({ person: this.person, kind, track, receiver, mid: transceiver.mid })
    }
    if (options.offers) for (const kind of MEDIA_KINDS) this.#add(kind)
  }

  async accept(signal: Signal): Promise<void> {
    if ('description' in signal) return this.#describe(signal.description)
    try {
      await this.#pc.addIceCandidate(signal.candidate as RTCIceCandidateInit)
    } catch (error) {
      if (!this.#isIgnoring && this.#pc.signalingState !== 'closed') throw error
    }
  }

  replace(kind: MediaKind, track: MediaStreamTrack | null): void {
    this.#tracks = { ...this.#tracks, [kind]: track }
    this.#sender(kind)
      ?.replaceTrack(track)
      .catch(() => undefined) // Only a closed connection refuses.
  }

  get state(): RTCPeerConnectionState {
    return this.#pc.connectionState
  }

  /** How loud the microphone of the other is now, 0 to 1. */
  get level(): number {
    return this.#pc.getTransceivers()[0]?.receiver.getSynchronizationSources()[0]?.audioLevel ?? 0
  }

  /** How loud our own microphone is, as this connection sends it. */
  async ownLevel(): Promise<number> {
    const stats = await this.#sender('microphone')?.getStats()
    for (const report of stats?.values() ?? []) if (report.type === 'media-source') return report.audioLevel ?? 0
    return 0
  }

  close(): void {
    this.#pc.close()
  }

  #add(kind: MediaKind): void {
    const transceiver = this.#pc.addTransceiver(this.#tracks[kind] ?? (kind === 'microphone' ? 'audio' : 'video'), {
      direction: 'sendrecv',
      sendEncodings: [ENCODINGS[kind]],
    })
    preferVp8(transceiver, kind)
  }

  /** The offered transceivers, in their order, get our tracks. */
  #adopt(): void {
    for (const [index, kind] of MEDIA_KINDS.entries()) {
      const transceiver = this.#pc.getTransceivers()[index]
      if (!transceiver || transceiver.direction === 'sendrecv') continue
      transceiver.direction = 'sendrecv'
      preferVp8(transceiver, kind)
      transceiver.sender.replaceTrack(this.#tracks[kind]).catch(() => undefined) // Only a closed connection refuses.
    }
  }

  /** The answering side can only set its limits once it has answered. */
  async #limit(): Promise<void> {
    for (const kind of MEDIA_KINDS) {
      const sender = this.#sender(kind)
      const parameters = sender?.getParameters()
      const encoding = parameters?.encodings[0]
      if (!sender || !parameters || !encoding) continue
      Object.assign(encoding, ENCODINGS[kind])
      await sender.setParameters(parameters).catch(() => undefined) // Limits are a kindness: without them it sends more.
    }
  }

  #sender(kind: MediaKind): RTCRtpSender | undefined {
    return this.#pc.getTransceivers()[MEDIA_KINDS.indexOf(kind)]?.sender
  }

  async #offer(): Promise<void> {
    this.#isOffering = true
    try {
      await this.#pc.setLocalDescription()
      this.#sendDescription()
    } finally {
      this.#isOffering = false
    }
  }

  async #describe(description: Description): Promise<void> {
    const isOffer = description.type === 'offer'
    const collides = isOffer && (this.#isOffering || this.#pc.signalingState !== 'stable')
    this.#isIgnoring = collides && !this.#options.offers
    if (this.#isIgnoring) return
    await this.#pc.setRemoteDescription(description)
    if (!isOffer) return
    this.#adopt()
    await this.#pc.setLocalDescription()
    this.#sendDescription()
    await this.#limit()
  }

  #sendDescription(): void {
    const description = this.#pc.localDescription
    if (description?.type === 'offer' || description?.type === 'answer')
      this.#options.send({ description: { type: description.type, sdp: description.sdp } })
  }
}

function candidateOf({ candidate, sdpMid, sdpMLineIndex, usernameFragment }: RTCIceCandidate) {
  return { candidate, sdpMid, sdpMLineIndex, usernameFragment }
}

/** VP8 is what every browser has and what recorders take as it comes; the others stay as a way out. */
function preferVp8(transceiver: RTCRtpTransceiver, kind: MediaKind): void {
  if (kind === 'microphone') return
  const codecs = RTCRtpReceiver.getCapabilities('video')?.codecs ?? []
  const rank = ({ mimeType }: { mimeType: string }) => (mimeType.toLowerCase() === 'video/vp8' ? 0 : 1)
  if (codecs.length > 0) transceiver.setCodecPreferences(codecs.toSorted((a, b) => rank(a) - rank(b)))
}
