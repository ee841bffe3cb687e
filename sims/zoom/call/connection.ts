// The server's end of a peer connection: a batch of streams to the page, or the page's own devices.
import { type RTCPeerConnection, type RTCRtpTransceiver, useOPUS } from 'werift'
import { answerOffer, levelExtensionOf, OPUS_TYPE, Outlet, receive } from '../../webrtc/peer.ts'
import type { AudioSink, VideoSink } from '../../webrtc/received.ts'
import { levelExtension } from '../../webrtc/rtp.ts'
import { SPEECH_LEVEL } from './active-speakers.ts'
import type { Stream } from './streams.ts'

const SAMPLES_PER_TICK = 960

type Sent = { readonly outlet: Outlet; readonly stream: Stream; frame: number; picture: Stream['picture'] }

/** Streams in the order of the page's recvonly sections. */
export type Batch = readonly Stream[]

export class Connection {
  readonly #peer: RTCPeerConnection
  readonly #sent: readonly Sent[]

  static async toPage(sdp: string, batch: Batch): Promise<{ readonly connection: Connection; readonly sdp: string }> {
    const answer = await answerOffer(sdp, [useOPUS({ payloadType: OPUS_TYPE })], (peer) => {
      const transceivers = peer.getTransceivers()
      return new Connection(
        peer,
        batch.flatMap((stream, index) => {
          const transceiver = transceivers[index]
          return transceiver ? [sending(transceiver, stream)] : []
        }),
      )
    })
    return { connection: answer.prepared, sdp: answer.sdp }
  }

  static async ofPage(
    sdp: string,
    receivedAudio: AudioSink,
    receivedVideo: VideoSink,
  ): Promise<{ readonly connection: Connection; readonly sdp: string }> {
    const answer = await answerOffer(sdp, [useOPUS({ payloadType: OPUS_TYPE })], (peer) => {
      for (const transceiver of peer.getTransceivers()) {
        transceiver.setDirection('recvonly')
        receive(transceiver, receivedAudio, receivedVideo)
      }
      return new Connection(peer, [])
    })
    return { connection: answer.prepared, sdp: answer.sdp }
  }

  private constructor(peer: RTCPeerConnection, sent: readonly Sent[]) {
    this.#peer = peer
    this.#sent = sent
  }

  sendAudio(tick: number): void {
    for (const { outlet, stream } of this.#sent) {
      if (!isAudible(stream) || !stream.sound) continue
      const { opus, level } = stream.sound
      const id = levelExtensionOf(outlet.transceiver)
      const extensions = id === undefined ? [] : [{ id, payload: levelExtension(level, level < SPEECH_LEVEL) }]
      outlet.sendAudio(tick, SAMPLES_PER_TICK, { extensions }, opus)
    }
  }

  /** A new picture of a stream begins with a key frame. */
  sendPictures(tick: number): void {
    for (const sent of this.#sent) {
      const { picture } = sent.stream
      if (!picture) continue
      if (sent.picture !== picture) Object.assign(sent, { picture, frame: 0 })
      const frame = picture.frames[sent.frame]
      sent.frame = (sent.frame + 1) % picture.frames.length
      if (frame) sent.outlet.sendVideo(tick, frame)
    }
  }

  close(): Promise<void> {
    return this.#peer.close()
  }
}

function isAudible({ kind }: Stream): boolean {
  return kind === 'audio' || kind === 'mix'
}

function sending(transceiver: RTCRtpTransceiver, stream: Stream): Sent {
  transceiver.sender.streamIds = [stream.id]
  transceiver.setDirection('sendonly')
  const sent: Sent = { outlet: new Outlet(transceiver), stream, frame: 0, picture: null }
  transceiver.sender.onPictureLossIndication.subscribe(() => {
    sent.frame = 0
  })
  return sent
}
