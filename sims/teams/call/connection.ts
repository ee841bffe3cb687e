// One visitor's peer connection, from the server's side: the mixed sound, the subscribed pictures and the data channel.
import {
  RTCPeerConnection,
  type RTCRtpTransceiver,
  RTP_EXTENSION_URI,
  RtpHeader,
  RtpPacket,
  useAudioLevelIndication,
  useOPUS,
  useSdesMid,
  useVP8,
} from 'werift'
import type { HeardSound, SeenPictures } from '../../google-meet/sfu/received.ts'
import { vp8Pieces } from '../../google-meet/sfu/rtp.ts'
import { FRAME_SAMPLES } from './pcm.ts'
import { annotated, type Section } from './sections.ts'

export type ConnectionPlan = {
  readonly sections: readonly Section[]
  readonly heard: HeardSound
  readonly seen: SeenPictures
  /** The data channel is open. */
  readonly onOpen: () => void
  readonly onMessage: (message: Buffer) => void
  /** The page cannot decode this section without a key frame. */
  readonly onKeyFrameWanted: (streamId: number) => void
}

const VIDEO_CLOCK_PER_TICK = 1_800
/** Close to the wrap-around, so that every call has one. */
const FIRST_SEQUENCE = 0xff00
const CHANNEL = 'main-channel'

type Outlet = { readonly transceiver: RTCRtpTransceiver; readonly section: Section; sequence: number; lastTick: number; pictureId: number }

export class Connection {
  readonly #peer: RTCPeerConnection
  readonly #outlets: readonly Outlet[]
  #channel: { send(bytes: Buffer): void } | null = null

  static async answer(sdp: string, plan: ConnectionPlan): Promise<{ readonly connection: Connection; readonly sdp: string }> {
    const peer = new RTCPeerConnection({
      codecs: { audio: [useOPUS({ payloadType: 111 })], video: [useVP8({ payloadType: 96 })] },
      headerExtensions: { audio: [useSdesMid(), useAudioLevelIndication()], video: [useSdesMid()] },
      // The server is found by the page and looks for nobody. On this machine only.
      iceLite: true,
      iceUseIpv4: false,
      iceUseIpv6: false,
      iceAdditionalHostAddresses: ['127.0.0.1'],
    })
    try {
      await peer.setRemoteDescription({ type: 'offer', sdp: withoutCandidates(sdp) })
      const connection = new Connection(peer, plan)
      await peer.setLocalDescription(await peer.createAnswer())
      return { connection, sdp: annotated(peer.localDescription?.sdp ?? '', plan.sections) }
    } catch (error) {
      await peer.close()
      throw error
    }
  }

  private constructor(peer: RTCPeerConnection, plan: ConnectionPlan) {
    this.#peer = peer
    const transceivers = peer.getTransceivers()
    if (transceivers.length !== plan.sections.length)
      throw new Error(`offer: ${plan.sections.length} sections of media are needed, and there are ${transceivers.length}`)
    this.#outlets = plan.sections.flatMap((section, index) => {
      const transceiver = transceivers[index]
      return transceiver ? [prepared(transceiver, section, plan)] : []
    })
    peer.onDataChannel.subscribe((channel) => {
      if (channel.label !== CHANNEL) return
      channel.onMessage.subscribe((data) => plan.onMessage(Buffer.from(data)))
      this.#channel = channel
      plan.onOpen()
    })
  }

  /** Without the level extension: contributing sources of Teams have no audio level. */
  sendSound(tick: number, opus: Buffer, contributors: readonly number[]): void {
    for (const outlet of this.#outlets) {
      if (!outlet.section.role.endsWith('-audio')) continue
      const marker = tick !== outlet.lastTick + 1
      outlet.lastTick = tick
      send(outlet, { marker, timestamp: tick * FRAME_SAMPLES, csrc: [...contributors] }, opus)
    }
  }

  sendPicture(streamId: number, tick: number, frame: Buffer): void {
    const outlet = this.#outlets.find(({ section }) => section.streamId === streamId)
    if (!outlet) return
    outlet.pictureId = (outlet.pictureId + 1) & 0x7fff
    const pieces = vp8Pieces(frame, outlet.pictureId)
    for (const [index, piece] of pieces.entries())
      send(outlet, { marker: index === pieces.length - 1, timestamp: tick * VIDEO_CLOCK_PER_TICK }, piece)
  }

  sendMessage(message: Buffer): void {
    this.#channel?.send(message)
  }

  close(): Promise<void> {
    this.#channel = null
    return this.#peer.close()
  }
}

function prepared(transceiver: RTCRtpTransceiver, section: Section, plan: ConnectionPlan): Outlet {
  const { role, streamId, msid } = section
  if (role === 'camera') transceiver.setDirection('recvonly')
  else {
    transceiver.sender.streamIds = [msid]
    transceiver.setDirection(role === 'main-audio' ? 'sendrecv' : 'sendonly')
    transceiver.sender.onPictureLossIndication.subscribe(() => plan.onKeyFrameWanted(streamId))
  }
  if (role === 'camera' || role === 'main-audio') receive(transceiver, plan)
  return { transceiver, section, sequence: FIRST_SEQUENCE, lastTick: Number.NaN, pictureId: 0 }
}

function receive(transceiver: RTCRtpTransceiver, { heard, seen }: ConnectionPlan): void {
  const { receiver } = transceiver
  receiver.track.onReceiveRtp.subscribe(({ header, payload }) => {
    if (transceiver.kind === 'audio') {
      const level = header.extensions.find(({ id }) => id === levelExtensionOf(transceiver))?.payload[0]
      heard.add(payload, level === undefined ? null : level & 0x7f)
      return
    }
    const piece = { sequence: header.sequenceNumber, timestamp: header.timestamp, marker: header.marker, payload }
    if (seen.add(piece)) receiver.sendRtcpPLI(header.ssrc).catch(() => undefined) // The page may just have gone.
  })
}

function send(outlet: Outlet, header: Partial<RtpHeader>, payload: Buffer): void {
  const sequenceNumber = outlet.sequence
  outlet.sequence = (outlet.sequence + 1) & 0xffff
  const packet = new RtpPacket(new RtpHeader({ ...header, sequenceNumber, extension: true }), payload)
  outlet.transceiver.sender.sendRtp(packet).catch(() => undefined) // Packets get lost on any network.
}

function levelExtensionOf({ headerExtensions }: RTCRtpTransceiver): number | undefined {
  return headerExtensions.find(({ uri }) => uri === RTP_EXTENSION_URI.audioLevelIndication)?.id
}

/** werift would look up the names of the local network among them. */
function withoutCandidates(sdp: string): string {
  return sdp.replaceAll(/^a=(candidate|end-of-candidates).*\r?\n/gm, '')
}
