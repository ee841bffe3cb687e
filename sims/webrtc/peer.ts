// A browser's peer connection on the server's side: packets to it, and packets from it.
import {
  RTCPeerConnection,
  type RTCRtpCodecParameters,
  type RTCRtpTransceiver,
  RTP_EXTENSION_URI,
  RtpHeader,
  RtpPacket,
  useAudioLevelIndication,
  useOPUS,
  useSdesMid,
  useVP8,
} from 'werift'
import type { AudioSink, VideoSink } from './received.ts'
import { vp8Pieces } from './rtp.ts'

export const OPUS_TYPE = 111
const VIDEO_CLOCK_PER_TICK = 1_800
/** Close to the wrap-around, so that every call has one. */
const FIRST_SEQUENCE = 0xff00

/** Limits the page's browser to one network path. It would otherwise try every network of the machine. */
export const ONE_PATH = '--webrtc-ip-handling-policy=default_public_interface_only'

/** Answers a page's offer. `prepare` sets up the transceivers of the offer. */
export async function answerOffer<Prepared>(
  sdp: string,
  audio: readonly RTCRtpCodecParameters[],
  prepare: (peer: RTCPeerConnection) => Prepared,
): Promise<{ readonly peer: RTCPeerConnection; readonly prepared: Prepared; readonly sdp: string }> {
  const peer = openPeer({ audio, iceLite: true })
  try {
    await peer.setRemoteDescription({ type: 'offer', sdp: withoutCandidates(sdp) })
    const prepared = prepare(peer)
    await peer.setLocalDescription(await peer.createAnswer())
    return { peer, prepared, sdp: peer.localDescription?.sdp ?? '' }
  } catch (error) {
    await peer.close()
    throw error
  }
}

type PeerOptions = {
  readonly audio?: readonly RTCRtpCodecParameters[]
  /** True: the page has one network path, so the first one that it checks is the one that it uses. */
  readonly iceLite?: boolean
}

/** A connection that the page finds on loopback. It gathers no other candidates. */
export function openPeer({ audio = [useOPUS({ payloadType: OPUS_TYPE })], iceLite = false }: PeerOptions = {}): RTCPeerConnection {
  return new RTCPeerConnection({
    codecs: { audio: [...audio], video: [useVP8({ payloadType: 96 })] },
    headerExtensions: { audio: [useSdesMid(), useAudioLevelIndication()], video: [useSdesMid()] },
    iceLite,
    iceUseIpv4: false,
    iceUseIpv6: false,
    iceAdditionalHostAddresses: ['127.0.0.1'],
  })
}

/** werift would resolve the mDNS names among them. */
export function withoutCandidates(sdp: string): string {
  return sdp.replaceAll(/^a=(candidate|end-of-candidates).*\r?\n/gm, '')
}

/** One media section to the page. */
export class Outlet {
  readonly transceiver: RTCRtpTransceiver
  #sequence = FIRST_SEQUENCE
  #lastTick = Number.NaN
  #pictureId = 0

  constructor(transceiver: RTCRtpTransceiver) {
    this.transceiver = transceiver
  }

  /** The first packet after a silence has the marker bit. */
  sendAudio(tick: number, samplesPerTick: number, header: Partial<RtpHeader>, payload: Buffer): void {
    const marker = tick !== this.#lastTick + 1
    this.#lastTick = tick
    this.#send({ ...header, marker, timestamp: tick * samplesPerTick }, payload)
  }

  sendVideo(tick: number, frame: Buffer): void {
    this.#pictureId = (this.#pictureId + 1) & 0x7fff
    const pieces = vp8Pieces(frame, this.#pictureId)
    for (const [index, piece] of pieces.entries())
      this.#send({ marker: index === pieces.length - 1, timestamp: tick * VIDEO_CLOCK_PER_TICK }, piece)
  }

  #send(header: Partial<RtpHeader>, payload: Buffer): void {
    const sequenceNumber = this.#sequence
    this.#sequence = (this.#sequence + 1) & 0xffff
    const packet = new RtpPacket(new RtpHeader({ ...header, sequenceNumber, extension: true }), payload)
    this.transceiver.sender.sendRtp(packet).catch(() => undefined) // A lost packet, as on any network.
  }
}

/** Records what the page sends. */
export function receive(transceiver: RTCRtpTransceiver, receivedAudio: AudioSink, receivedVideo: VideoSink): void {
  const { receiver } = transceiver
  receiver.track.onReceiveRtp.subscribe(({ header, payload }) => {
    if (transceiver.kind === 'audio') {
      const level = header.extensions.find(({ id }) => id === levelExtensionOf(transceiver))?.payload[0]
      receivedAudio.add(payload, level === undefined ? null : level & 0x7f)
      return
    }
    const piece = { sequence: header.sequenceNumber, timestamp: header.timestamp, marker: header.marker, payload }
    if (receivedVideo.add(piece)) receiver.sendRtcpPLI(header.ssrc).catch(() => undefined) // The page may have left.
  })
}

export function levelExtensionOf({ headerExtensions }: RTCRtpTransceiver): number | undefined {
  return headerExtensions.find(({ uri }) => uri === RTP_EXTENSION_URI.audioLevelIndication)?.id
}
