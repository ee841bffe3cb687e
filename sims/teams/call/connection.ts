// One visitor's peer connection on the server's side: the mixed audio, the subscribed videos and the data channel.
import { type RTCPeerConnection, type RTCRtpTransceiver, useOPUS } from 'werift'
import { FRAME_SAMPLES } from '../../webrtc/pcm.ts'
import { answerOffer, OPUS_TYPE, Outlet, receive } from '../../webrtc/peer.ts'
import type { AudioSink, VideoSink } from '../../webrtc/received.ts'
import { annotated, type Section } from './sections.ts'

export type ConnectionPlan = {
  readonly sections: readonly Section[]
  readonly receivedAudio: AudioSink
  readonly receivedVideo: VideoSink
  /** The data channel is open. */
  readonly onOpen: () => void
  readonly onMessage: (message: Buffer) => void
  /** The page needs a key frame for this section. */
  readonly onKeyFrameWanted: (streamId: number) => void
}

const CHANNEL = 'main-channel'

type Stream = { readonly outlet: Outlet; readonly section: Section }

export class Connection {
  readonly #peer: RTCPeerConnection
  readonly #streams: readonly Stream[]
  #channel: { send(bytes: Buffer): void } | null = null

  static async answer(sdp: string, plan: ConnectionPlan): Promise<{ readonly connection: Connection; readonly sdp: string }> {
    const answer = await answerOffer(sdp, [useOPUS({ payloadType: OPUS_TYPE })], (peer) => new Connection(peer, plan))
    return { connection: answer.prepared, sdp: annotated(answer.sdp, plan.sections) }
  }

  private constructor(peer: RTCPeerConnection, plan: ConnectionPlan) {
    this.#peer = peer
    const transceivers = peer.getTransceivers()
    if (transceivers.length !== plan.sections.length)
      throw new Error(`offer: ${plan.sections.length} sections of media are needed, and there are ${transceivers.length}`)
    this.#streams = plan.sections.flatMap((section, index) => {
      const transceiver = transceivers[index]
      return transceiver ? [{ outlet: prepared(transceiver, section, plan), section }] : []
    })
    peer.onDataChannel.subscribe((channel) => {
      if (channel.label !== CHANNEL) return
      channel.onMessage.subscribe((data) => plan.onMessage(Buffer.from(data)))
      this.#channel = channel
      plan.onOpen()
    })
  }

  /** Without the level extension, because CSRCs of Teams have no audio level. */
  sendAudio(tick: number, opus: Buffer, contributors: readonly number[]): void {
    for (const { outlet, section } of this.#streams)
      if (section.role.endsWith('-audio')) outlet.sendAudio(tick, FRAME_SAMPLES, { csrc: [...contributors] }, opus)
  }

  sendVideo(streamId: number, tick: number, frame: Buffer): void {
    this.#streams.find(({ section }) => section.streamId === streamId)?.outlet.sendVideo(tick, frame)
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
  if (role === 'camera' || role === 'main-audio') receive(transceiver, plan.receivedAudio, plan.receivedVideo)
  return new Outlet(transceiver)
}
