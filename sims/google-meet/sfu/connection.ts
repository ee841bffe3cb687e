// One browser's peer connection, from the server's side: its lanes, its slots, its data channels and what it sends itself.
import {
  RTCPeerConnection,
  RTCRtpCodecParameters,
  type RTCRtpTransceiver,
  RTP_EXTENSION_URI,
  RtpHeader,
  RtpPacket,
  useAudioLevelIndication,
  useOPUS,
  useSdesMid,
  useVP8,
} from 'werift'
import { SPEECH_LEVEL } from './lanes.ts'
import type { HeardSound, SeenPictures } from './received.ts'
import { levelExtension, redundant, vp8Pieces } from './rtp.ts'
import { KEEP_ALIVE } from './speakers.ts'
import type { VoicePacket } from './voice.ts'

export type ConnectionPlan = {
  /** Stream ids, by lane and by slot. */
  readonly lanes: readonly string[]
  readonly slots: readonly string[]
  readonly red: boolean
  readonly collectionsBy: 'server' | 'page'
  readonly heard: HeardSound
  readonly seen: SeenPictures
  /** The page can be told things from now on. */
  readonly opened: () => void
  /** The page cannot show what is in this slot without a key frame. */
  readonly keyFrameWanted: (slot: number) => void
}

const OPUS_TYPE = 111
const RED = { mimeType: 'audio/red', clockRate: 48_000, channels: 2, payloadType: 63, parameters: `${OPUS_TYPE}/${OPUS_TYPE}` }
const SAMPLES_PER_TICK = 960
const VIDEO_CLOCK_PER_TICK = 1_800
/** Close to where it begins anew, so that this happens in every call. */
const FIRST_SEQUENCE = 0xff00

type Outlet = { readonly transceiver: RTCRtpTransceiver; sequence: number; lastTick: number; pictureId: number }

export class Connection {
  readonly #peer: RTCPeerConnection
  readonly #lanes: readonly Outlet[]
  readonly #slots: readonly Outlet[]
  readonly #channels = new Map<string, { send(bytes: Buffer): void }>()

  static async answer(sdp: string, plan: ConnectionPlan): Promise<{ readonly connection: Connection; readonly sdp: string }> {
    const peer = new RTCPeerConnection({
      codecs: { audio: [...(plan.red ? [new RTCRtpCodecParameters(RED)] : []), opus()], video: [useVP8({ payloadType: 96 })] },
      headerExtensions: { audio: [useSdesMid(), useAudioLevelIndication()], video: [useSdesMid()] },
      // As Meet's: the page finds the server, and the server looks for nobody. On this machine only.
      iceLite: true,
      iceUseIpv4: false,
      iceUseIpv6: false,
      iceAdditionalHostAddresses: ['127.0.0.1'],
    })
    try {
      await peer.setRemoteDescription({ type: 'offer', sdp: withoutCandidates(sdp) })
      const connection = new Connection(peer, plan)
      await peer.setLocalDescription(await peer.createAnswer())
      // The packets come to it with their redundancy already in them.
      for (const { sender } of peer.getTransceivers()) delete sender.redRedundantPayloadType
      return { connection, sdp: peer.localDescription?.sdp ?? '' }
    } catch (error) {
      await peer.close()
      throw error
    }
  }

  private constructor(peer: RTCPeerConnection, plan: ConnectionPlan) {
    this.#peer = peer
    this.#lanes = this.#outlets('audio', plan.lanes)
    this.#slots = this.#outlets('video', plan.slots)
    for (const [slot, { transceiver }] of this.#slots.entries()) {
      transceiver.sender.onPictureLossIndication.subscribe(() => plan.keyFrameWanted(slot))
    }
    for (const transceiver of peer.getTransceivers()) if (transceiver.offerDirection !== 'sendonly') receive(transceiver, plan)
    this.#carry(plan)
  }

  sendSound(lane: number, tick: number, packet: VoicePacket, sources: readonly number[]): void {
    const outlet = this.#lanes[lane]
    if (!outlet) return
    const { codec } = outlet.transceiver.sender
    const isRed = codec?.name.toLowerCase() === 'red'
    const opusType = isRed ? Number.parseInt(codec?.parameters ?? '', 10) : 0
    const payload = isRed ? redundant(packet.opus, packet.earlier, SAMPLES_PER_TICK, opusType) : packet.opus
    const id = levelExtensionOf(outlet.transceiver)
    const extensions = id === undefined ? [] : [{ id, payload: levelExtension(packet.level, packet.level < SPEECH_LEVEL) }]
    const marker = tick !== outlet.lastTick + 1
    outlet.lastTick = tick
    send(outlet, { marker, timestamp: tick * SAMPLES_PER_TICK, csrc: [...sources], extensions }, payload)
  }

  sendPicture(slot: number, tick: number, frame: Buffer): void {
    const outlet = this.#slots[slot]
    if (!outlet) return
    outlet.pictureId = (outlet.pictureId + 1) & 0x7fff
    const pieces = vp8Pieces(frame, outlet.pictureId)
    for (const [index, piece] of pieces.entries()) {
      send(outlet, { marker: index === pieces.length - 1, timestamp: tick * VIDEO_CLOCK_PER_TICK }, piece)
    }
  }

  /** Into the void, if there is no such channel. */
  tell(channel: 'collections' | 'captions' | 'dcrpc', bytes: Buffer): void {
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
      if (channel.label === 'collections') opened()
    })
    if (collectionsBy === 'server') this.#open('collections', opened)
    this.#open('dcrpc', () => this.tell('dcrpc', KEEP_ALIVE))
  }

  #open(label: string, opened: () => void): void {
    const channel = this.#peer.createDataChannel(label)
    channel.stateChanged.subscribe((state) => {
      if (state !== 'open') return
      this.#channels.set(label, channel)
      opened()
    })
  }

  /** What the page only receives, in the order of its offer. */
  #outlets(kind: 'audio' | 'video', streamIds: readonly string[]): readonly Outlet[] {
    const offered = this.#peer.getTransceivers().filter((it) => it.kind === kind && it.offerDirection === 'sendonly')
    if (offered.length < streamIds.length) {
      throw new Error(`offer: ${streamIds.length} recvonly sections of ${kind} are needed, and there are ${offered.length}`)
    }
    return offered.map((transceiver, index) => {
      const streamId = streamIds[index]
      if (streamId !== undefined) transceiver.sender.streamIds = [streamId]
      transceiver.setDirection(streamId === undefined ? 'inactive' : 'sendonly')
      return { transceiver, sequence: FIRST_SEQUENCE, lastTick: Number.NaN, pictureId: 0 }
    })
  }
}

function receive(transceiver: RTCRtpTransceiver, { heard, seen }: ConnectionPlan): void {
  transceiver.setDirection('recvonly')
  if (transceiver.kind === 'audio') transceiver.setCodecPreferences([opus()])
  const { receiver } = transceiver
  receiver.track.onReceiveRtp.subscribe(({ header, payload }) => {
    if (transceiver.kind === 'audio') {
      const level = header.extensions.find(({ id }) => id === levelExtensionOf(transceiver))?.payload[0]
      heard.add(payload, level === undefined ? null : level & 0x7f)
      return
    }
    const piece = { sequence: header.sequenceNumber, timestamp: header.timestamp, marker: header.marker, payload }
    if (seen.add(piece)) receiver.sendRtcpPLI(header.ssrc).catch(() => undefined) // It may just have gone.
  })
}

function send(outlet: Outlet, header: Partial<RtpHeader>, payload: Buffer): void {
  const sequenceNumber = outlet.sequence
  outlet.sequence = (outlet.sequence + 1) & 0xffff
  const packet = new RtpPacket(new RtpHeader({ ...header, sequenceNumber, extension: true }), payload)
  outlet.transceiver.sender.sendRtp(packet).catch(() => undefined) // As on any network, it may get lost.
}

function levelExtensionOf({ headerExtensions }: RTCRtpTransceiver): number | undefined {
  return headerExtensions.find(({ uri }) => uri === RTP_EXTENSION_URI.audioLevelIndication)?.id
}

function opus(): RTCRtpCodecParameters {
  return useOPUS({ payloadType: OPUS_TYPE })
}

/** Names of the local network among them would be looked up. */
function withoutCandidates(sdp: string): string {
  return sdp.replaceAll(/^a=(candidate|end-of-candidates).*\r?\n/gm, '')
}
