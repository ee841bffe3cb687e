/// <reference lib="dom" />
// The tap's configuration, and the messages between the page and its worker.
import type { FromPage, TrackInfo, Way } from '../wire.ts'

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
  /** The page plays no sound, so the browser knows no levels. The tap gives it those of the packets. */
  readonly silent: boolean
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
  | { readonly kind: 'track'; readonly info: TrackInfo }
  | { readonly kind: 'ended'; readonly number: number }
  | { readonly kind: 'frame'; readonly number: number; readonly frame: CopiedFrame }
  | { readonly kind: 'chunk'; readonly number: number; readonly first: boolean; readonly atMs: number; readonly data: ArrayBuffer }
  | Extract<FromPage, { kind: 'source' | 'problem' }>

export type FromWorker =
  /** The loudest packet of each audio track since the last message, from 0 to 1. */
  | { readonly kind: 'levels'; readonly levels: readonly (readonly [number: number, level: number])[] }
  | { readonly kind: 'flowing'; readonly number: number }
  | { readonly kind: 'reveal'; readonly on: boolean }
  | { readonly kind: 'resume' }

export type EncodedFrame = { data: ArrayBuffer; readonly type?: string; getMetadata(): FrameMetadata }

/** The fallback of a track without encoded frames. */
export type TrackRecorder = { restart(): void; stop(): void }

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
  readonly announce: (tapped: Tapped) => void
  readonly take: (receiver: RTCRtpReceiver, way: Way) => Tapped
  readonly attach: (receiver: RTCRtpReceiver) => void
}
