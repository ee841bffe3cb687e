/// <reference lib="dom" />
// The peer connection to one other person. The later person creates three transceivers in a fixed order (microphone, camera, screen).
// After that tracks are only replaced, so only ICE restarts are negotiated again, from either side (perfect negotiation).
import { type Description, type IceServer, MEDIA_KINDS, type MediaKind, type Signal } from '../wire.ts'
import { type Reception, requestAudio } from './reception.ts'

export type Tracks = Readonly<Record<MediaKind, MediaStreamTrack | null>>

export type RemoteTrack = {
  readonly person: string
  readonly kind: MediaKind
  readonly track: MediaStreamTrack
  readonly receiver: RTCRtpReceiver
  readonly mid: string | null
}

export type PeerOptions = Reception & {
  readonly person: string
  /** The later person offers, and is the polite peer when two offers collide. */
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
      if (kind && this.#receives(kind)) options.onTrack({ person: this.person, kind, track, receiver, mid: transceiver.mid })
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
      .catch(() => undefined) // Fails only if the connection is closed.
  }

  get state(): RTCPeerConnectionState {
    return this.#pc.connectionState
  }

  /** The audio level of the other person's microphone, 0 to 1. */
  get level(): number {
    return this.#pc.getTransceivers()[0]?.receiver.getSynchronizationSources()[0]?.audioLevel ?? 0
  }

  /** The audio level of our microphone as sent on this connection. */
  async ownLevel(): Promise<number> {
    const stats = await this.#sender('microphone')?.getStats()
    for (const report of stats?.values() ?? []) if (report.type === 'media-source') return report.audioLevel ?? 0
    return 0
  }

  close(): void {
    this.#pc.close()
  }

  #receives(kind: MediaKind): boolean {
    return kind === 'microphone' || this.#options.receivesVideo
  }

  #directionOf(kind: MediaKind): RTCRtpTransceiverDirection {
    return this.#receives(kind) ? 'sendrecv' : 'sendonly'
  }

  #add(kind: MediaKind): void {
    const transceiver = this.#pc.addTransceiver(this.#tracks[kind] ?? (kind === 'microphone' ? 'audio' : 'video'), {
      direction: this.#directionOf(kind),
      sendEncodings: [ENCODINGS[kind]],
    })
    preferVp8(transceiver, kind)
  }

  /** Adds our tracks to the offered transceivers, in order. */
  #adopt(): void {
    for (const [index, kind] of MEDIA_KINDS.entries()) {
      const transceiver = this.#pc.getTransceivers()[index]
      if (!transceiver || transceiver.direction === this.#directionOf(kind)) continue
      transceiver.direction = this.#directionOf(kind)
      preferVp8(transceiver, kind)
      transceiver.sender.replaceTrack(this.#tracks[kind]).catch(() => undefined) // Fails only if the connection is closed.
    }
  }

  /** The answering side can set its limits only after it has answered. */
  async #limit(): Promise<void> {
    for (const kind of MEDIA_KINDS) {
      const sender = this.#sender(kind)
      const parameters = sender?.getParameters()
      const encoding = parameters?.encodings[0]
      if (!sender || !parameters || !encoding) continue
      Object.assign(encoding, ENCODINGS[kind])
      await sender.setParameters(parameters).catch(() => undefined) // Without limits the sender uses more bandwidth, which is acceptable.
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
      this.#options.send({ description: { type: description.type, sdp: requestAudio(description.sdp, this.#options) } })
  }
}

function candidateOf({ candidate, sdpMid, sdpMLineIndex, usernameFragment }: RTCIceCandidate) {
  return { candidate, sdpMid, sdpMLineIndex, usernameFragment }
}

/** Prefers VP8, which every browser has and recorders store without encoding. Other codecs stay as a fallback. */
function preferVp8(transceiver: RTCRtpTransceiver, kind: MediaKind): void {
  if (kind === 'microphone') return
  const codecs = RTCRtpReceiver.getCapabilities('video')?.codecs ?? []
  const rank = ({ mimeType }: { mimeType: string }) => (mimeType.toLowerCase() === 'video/vp8' ? 0 : 1)
  if (codecs.length > 0) transceiver.setCodecPreferences(codecs.toSorted((a, b) => rank(a) - rank(b)))
}
