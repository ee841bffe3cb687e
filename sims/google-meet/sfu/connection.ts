// One browser's peer connection on the server's side: its lanes, slots, data channels and sent media.
import { type RTCPeerConnection, RTCRtpCodecParameters, useOPUS } from 'werift'
import { answerOffer, levelExtensionOf, OPUS_TYPE, Outlet, receive } from '../../webrtc/peer.ts'
import type { AudioSink, VideoSink } from '../../webrtc/received.ts'
import { levelExtension, redundant } from '../../webrtc/rtp.ts'
import { SPEECH_LEVEL } from './lanes.ts'
import { KEEP_ALIVE } from './speakers.ts'
import type { VoicePacket } from './voice.ts'

export type ConnectionPlan = {
  /** Stream ids, by lane and by slot. */
  readonly lanes: readonly string[]
  readonly slots: readonly string[]
  readonly red: boolean
  readonly collectionsBy: 'server' | 'page'
  readonly receivedAudio: AudioSink
  readonly receivedVideo: VideoSink
  /** The channel with this label is open. */
  readonly opened: (label: string) => void
  /** The page needs a key frame for this slot. */
  readonly keyFrameWanted: (slot: number) => void
}

const RED = { mimeType: 'audio/red', clockRate: 48_000, channels: 2, payloadType: 63, parameters: `${OPUS_TYPE}/${OPUS_TYPE}` }
const SAMPLES_PER_TICK = 960

export class Connection {
  readonly #peer: RTCPeerConnection
  readonly #lanes: readonly Outlet[]
  readonly #slots: readonly Outlet[]
  readonly #channels = new Map<string, { send(bytes: Buffer): void }>()

  static async answer(sdp: string, plan: ConnectionPlan): Promise<{ readonly connection: Connection; readonly sdp: string }> {
    const codecs = [...(plan.red ? [new RTCRtpCodecParameters(RED)] : []), opus()]
    const answer = await answerOffer(sdp, codecs, (peer) => new Connection(peer, plan))
    // The packets already contain their redundancy.
    for (const { sender } of answer.peer.getTransceivers()) delete sender.redRedundantPayloadType
    return { connection: answer.prepared, sdp: answer.sdp }
  }

  private constructor(peer: RTCPeerConnection, plan: ConnectionPlan) {
    this.#peer = peer
    this.#lanes = this.#outlets('audio', plan.lanes)
    this.#slots = this.#outlets('video', plan.slots)
    for (const [slot, { transceiver }] of this.#slots.entries()) {
      transceiver.sender.onPictureLossIndication.subscribe(() => plan.keyFrameWanted(slot))
    }
    for (const transceiver of peer.getTransceivers()) {
      if (transceiver.offerDirection === 'sendonly') continue
      transceiver.setDirection('recvonly')
      if (transceiver.kind === 'audio') transceiver.setCodecPreferences([opus()])
      receive(transceiver, plan.receivedAudio, plan.receivedVideo)
    }
    this.#carry(plan)
  }

  sendAudio(lane: number, tick: number, packet: VoicePacket, sources: readonly number[]): void {
    const outlet = this.#lanes[lane]
    if (!outlet) return
    const { codec } = outlet.transceiver.sender
    const isRed = codec?.name.toLowerCase() === 'red'
    const opusType = isRed ? Number.parseInt(codec?.parameters ?? '', 10) : 0
    const payload = isRed ? redundant(packet.opus, packet.earlier, SAMPLES_PER_TICK, opusType) : packet.opus
    const id = levelExtensionOf(outlet.transceiver)
    const extensions = id === undefined ? [] : [{ id, payload: levelExtension(packet.level, packet.level < SPEECH_LEVEL) }]
    outlet.sendAudio(tick, SAMPLES_PER_TICK, { csrc: [...sources], extensions }, payload)
  }

  sendVideo(slot: number, tick: number, frame: Buffer): void {
    this.#slots[slot]?.sendVideo(tick, frame)
  }

  /** Does nothing if there is no such channel. */
  send(channel: 'collections' | 'captions' | 'dcrpc' | 'media-director', bytes: Buffer): void {
    this.#channels.get(channel)?.send(bytes)
  }

  get isOpen(): boolean {
    return this.#channels.has('collections')
  }

  close(): Promise<void> {
    this.#channels.clear()
    return this.#peer.close()
  }

  #carry({ opened, collectionsBy }: ConnectionPlan): void {
    this.#peer.onDataChannel.subscribe((channel) => {
      this.#channels.set(channel.label, channel)
      opened(channel.label)
    })
    if (collectionsBy === 'server') this.#open('collections', () => opened('collections'))
    this.#open('dcrpc', () => this.send('dcrpc', KEEP_ALIVE))
  }

  #open(label: string, opened: () => void): void {
    const channel = this.#peer.createDataChannel(label)
    channel.stateChanged.subscribe((state) => {
      if (state !== 'open') return
      this.#channels.set(label, channel)
      opened()
    })
  }

  /** The receive-only sections, in the order of the offer. */
  #outlets(kind: 'audio' | 'video', streamIds: readonly string[]): readonly Outlet[] {
    const offered = this.#peer.getTransceivers().filter((it) => it.kind === kind && it.offerDirection === 'sendonly')
    if (offered.length < streamIds.length) {
      throw new Error(`offer: ${streamIds.length} recvonly sections of ${kind} are needed, and there are ${offered.length}`)
    }
    return offered.map((transceiver, index) => {
      const streamId = streamIds[index]
      if (streamId !== undefined) transceiver.sender.streamIds = [streamId]
      transceiver.setDirection(streamId === undefined ? 'inactive' : 'sendonly')
      return new Outlet(transceiver)
    })
  }
}

function opus(): RTCRtpCodecParameters {
  return useOPUS({ payloadType: OPUS_TYPE })
}
