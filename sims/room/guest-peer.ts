// A guest's peer connection to one bot: the guest's microphone, camera and screen, and the media that the bot sends.
import type { RTCRtpTransceiver } from 'werift'
import { type Candidate, type Description, MEDIA_KINDS, type Signal } from '../../src/room/wire.ts'
import { type Picture, SAMPLES_PER_PACKET, type SoundPacket, SPEECH_LEVEL } from '../webrtc/encode.ts'
import { levelExtensionOf, Outlet, openPeer, receive, withoutCandidates } from '../webrtc/peer.ts'
import { AudioSink, VideoSink } from '../webrtc/received.ts'
import { levelExtension } from '../webrtc/rtp.ts'

const ON_LOOPBACK = / udp \d+ 127\.0\.0\.1 /i

export type VideoKind = 'camera' | 'screen'

type Video = { picture: Picture | null; frame: number }

export class GuestPeer {
  readonly receivedAudio = new AudioSink()
  readonly receivedVideo: Readonly<Record<VideoKind, VideoSink>> = { camera: new VideoSink(), screen: new VideoSink() }
  readonly #peer = openPeer()
  readonly #send: (signal: Signal) => void
  readonly #outlets: Outlet[] = []
  readonly #videos: Readonly<Record<VideoKind, Video>> = { camera: { picture: null, frame: 0 }, screen: { picture: null, frame: 0 } }

  constructor(send: (signal: Signal) => void) {
    this.#send = send
  }

  /** Media are offered in the order that the room's page expects. */
  async offer(): Promise<void> {
    for (const kind of MEDIA_KINDS) this.#peer.addTransceiver(kind === 'microphone' ? 'audio' : 'video', { direction: 'sendrecv' })
    this.#adopt()
    await this.#peer.setLocalDescription(await this.#peer.createOffer())
    this.#describe('offer')
  }

  async accept(signal: Signal): Promise<void> {
    if (!('description' in signal)) return this.#addCandidate(signal.candidate)
    const { type, sdp } = signal.description
    await this.#peer.setRemoteDescription({ type, sdp: withoutCandidates(sdp) })
    if (type === 'answer') return
    this.#adopt()
    await this.#peer.setLocalDescription(await this.#peer.createAnswer())
    this.#describe('answer')
  }

  sendAudio(tick: number, { opus, level }: SoundPacket): void {
    const [outlet] = this.#outlets
    const id = outlet && levelExtensionOf(outlet.transceiver)
    const extensions = id === undefined ? [] : [{ id, payload: levelExtension(level, level < SPEECH_LEVEL) }]
    outlet?.sendAudio(tick, SAMPLES_PER_PACKET, { extensions }, opus)
  }

  /** Another picture begins with a key frame. */
  sendVideo(tick: number, kind: VideoKind, picture: Picture): void {
    const video = this.#videos[kind]
    if (video.picture !== picture) Object.assign(video, { picture, frame: 0 })
    const frame = picture.frames[video.frame]
    video.frame = (video.frame + 1) % picture.frames.length
    if (frame) this.#outlets[MEDIA_KINDS.indexOf(kind)]?.sendVideo(tick, frame)
  }

  async close(): Promise<void> {
    await this.#peer.close()
  }

  /** The bot's browser has other paths too, and tries each. */
  async #addCandidate({ candidate, sdpMid, sdpMLineIndex }: Candidate): Promise<void> {
    if (ON_LOOPBACK.test(candidate)) await this.#peer.addIceCandidate({ candidate, sdpMid, sdpMLineIndex })
  }

  #adopt(): void {
    if (this.#outlets.length > 0) return
    for (const [index, transceiver] of this.#peer.getTransceivers().entries()) this.#add(index, transceiver)
  }

  #add(index: number, transceiver: RTCRtpTransceiver): void {
    const kind = MEDIA_KINDS[index]
    transceiver.setDirection('sendrecv')
    receive(transceiver, this.receivedAudio, kind === 'screen' ? this.receivedVideo.screen : this.receivedVideo.camera)
    if (kind === 'camera' || kind === 'screen')
      transceiver.sender.onPictureLossIndication.subscribe(() => {
        this.#videos[kind].frame = 0
      })
    this.#outlets.push(new Outlet(transceiver))
  }

  #describe(type: Description['type']): void {
    this.#send({ description: { type, sdp: this.#peer.localDescription?.sdp ?? '' } })
  }
}
