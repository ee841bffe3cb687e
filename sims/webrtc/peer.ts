// A browser's peer connection from the side of a server: packets to it, and what comes from it.
import {
  RTCPeerConnection,
  type RTCRtpCodecParameters,
  type RTCRtpTransceiver,
  RTP_EXTENSION_URI,
  RtpHeader,
  RtpPacket,
  useAudioLevelIndication,
  useSdesMid,
  useVP8,
} from 'werift'
import type { HeardSound, SeenPictures } from './received.ts'
import { vp8Pieces } from './rtp.ts'

export const OPUS_TYPE = 111
const VIDEO_CLOCK_PER_TICK = 1_800
/** Close to the wrap-around, so that every call has one. */
const FIRST_SEQUENCE = 0xff00

/** For the page's browser. It would try every network of the machine, and the server stays with the first path that works. */
export const ONE_PATH = '--webrtc-ip-handling-policy=default_public_interface_only'

/** Answers a page's offer. `prepare` sets up the transceivers that the offer has made. */
export async function answerOffer<Prepared>(
  sdp: string,
  audio: readonly RTCRtpCodecParameters[],
  prepare: (peer: RTCPeerConnection) => Prepared,
): Promise<{ readonly peer: RTCPeerConnection; readonly prepared: Prepared; readonly sdp: string }> {
  const peer = new RTCPeerConnection({
    codecs: { audio: [...audio], video: [useVP8({ payloadType: 96 })] },
    headerExtensions: { audio: [useSdesMid(), useAudioLevelIndication()], video: [useSdesMid()] },
    // The page finds the server, and the server looks for nobody. On this machine only.
    iceLite: true,
    iceUseIpv4: false,
    iceUseIpv6: false,
    iceAdditionalHostAddresses: ['127.0.0.1'],
  })
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

/** werift would look up the names of the local network among them. */
function withoutCandidates(sdp: string): string {
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

  /** A stretch of sound begins with a marker. */
  sendSound(tick: number, samplesPerTick: number, header: Partial<RtpHeader>, payload: Buffer): void {
    const marker = tick !== this.#lastTick + 1
    this.#lastTick = tick
    this.#send({ ...header, marker, timestamp: tick * samplesPerTick }, payload)
  }

  sendPicture(tick: number, frame: Buffer): void {
    this.#pictureId = (this.#pictureId + 1) & 0x7fff
    const pieces = vp8Pieces(frame, this.#pictureId)
    for (const [index, piece] of pieces.entries())
      this.#send({ marker: index === pieces.length - 1, timestamp: tick * VIDEO_CLOCK_PER_TICK }, piece)
  }

  #send(header: Partial<RtpHeader>, payload: Buffer): void {
    const sequenceNumber = this.#sequence
    this.#sequence = (this.#sequence + 1) & 0xffff
    const packet = new RtpPacket(new RtpHeader({ ...header, sequenceNumber, extension: true }), payload)
    this.transceiver.sender.sendRtp(packet).catch(() => undefined) // Packets get lost on any network.
  }
}

/** Keeps what the page sends. */
export function receive(transceiver: RTCRtpTransceiver, heard: HeardSound, seen: SeenPictures): void {
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

export function levelExtensionOf({ headerExtensions }: RTCRtpTransceiver): number | undefined {
  return headerExtensions.find(({ uri }) => uri === RTP_EXTENSION_URI.audioLevelIndication)?.id
}
