/// <reference lib="dom" />
// The tap's configuration, and the messages between the page and its worker.
import type { TrackNote, Way } from '../wire.ts'
import type { TrackRecorder } from './media-recorder.ts'

export type TapConfig = {
  readonly url: string
  readonly token: string
  readonly batchMs: number
  /** False: video is neither recorded nor decoded. */
  readonly video: boolean
  /** False if the platform is known to give no encoded frames: its tracks use the fallback at once. */
  readonly encoded: boolean
  readonly fallbackAfterMs: number
  /** Prepends the tap to the page's own workers, so that it sees frames after the page's own transform. */
  readonly wrapWorkers: boolean
}

/** A copy of an encoded frame that the page reads or writes, for the worker. */
export type CopiedFrame = {
  readonly data: ArrayBuffer
  readonly type: string | undefined
  readonly metadata: FrameMetadata
  /** Time of arrival by the page's clock, if the frame has waited since. */
  readonly receivedMs?: number
}

export type EncodedStreams = { readonly readable: ReadableStream<EncodedFrame>; readonly writable: WritableStream<EncodedFrame> }

export type FrameMetadata = {
  readonly mimeType?: string
  readonly rtpTimestamp?: number
  readonly sequenceNumber?: number
  readonly synchronizationSource?: number
  readonly contributingSources?: readonly number[]
  readonly audioLevel?: number
  readonly width?: number
  readonly height?: number
  /** Set on received frames only, not on frames to be sent. */
  readonly receiveTime?: number
}

export type ToWorker =
  /** How to reach the bot: the first message, and another one if the relay fails. */
  | { readonly kind: 'line'; readonly relay: MessagePort | null }
  | { readonly kind: 'track'; readonly note: TrackNote }
  | { readonly kind: 'ended'; readonly number: number }
  | { readonly kind: 'source'; readonly ssrc: number; readonly id: string; readonly streamId: string; readonly mid: string }
  | { readonly kind: 'frame'; readonly number: number; readonly frame: CopiedFrame }
  | { readonly kind: 'chunk'; readonly number: number; readonly first: boolean; readonly atMs: number; readonly data: ArrayBuffer }
  | { readonly kind: 'problem'; readonly message: string }
  | { readonly kind: 'alive' }

export type FromWorker =
  /** The loudest packet of each audio track since the last message, from 0 to 1. */
  | { readonly kind: 'levels'; readonly levels: readonly (readonly [number: number, level: number])[] }
  | { readonly kind: 'flowing'; readonly number: number }
  | { readonly kind: 'reveal'; readonly on: boolean }
  | { readonly kind: 'resume' }

export type EncodedFrame = { data: ArrayBuffer; readonly type?: string; getMetadata(): FrameMetadata }

export type Tapped = {
  readonly number: number
  readonly receiver: RTCRtpReceiver
  mid: string
  streamId: string
  way: Way
  flowing: boolean
  audibleSinceMs: number | null
  recorder: TrackRecorder | null
}

export type Tap = {
  readonly config: TapConfig
  readonly tapped: Map<RTCRtpReceiver, Tapped>
  /** The page itself takes the frames of this receiver. */
  readonly claimed: WeakSet<RTCRtpReceiver>
  /** Streams of receivers that the page may still claim in the task in which they were made. */
  readonly held: Map<RTCRtpReceiver, EncodedStreams>
  readonly send: (message: ToWorker, transfer?: Transferable[]) => void
  readonly note: (tapped: Tapped) => void
  readonly take: (receiver: RTCRtpReceiver, way: Way) => Tapped
  readonly attach: (receiver: RTCRtpReceiver) => void
}
