/// <reference lib="dom" />
// What the tap is told when it is put into a page, and what the page and its worker say to each other.
import type { TrackNote, Way } from '../wire.ts'
import type { TrackRecorder } from './recorder.ts'

export type TapConfig = {
  readonly url: string
  readonly token: string
  readonly batchMs: number
  /** False: video is neither kept nor decoded. */
  readonly video: boolean
  /** False where a platform is known to give no encoded frames: its tracks go the next way down at once. */
  readonly encoded: boolean
  readonly fallbackAfterMs: number
  /** Prepends the tap to the page's own workers, so that a page with its own transform is heard behind it. */
  readonly wrapWorkers: boolean
}

/** An encoded frame that the page reads or writes, copied for the worker. */
export type CopiedFrame = {
  readonly data: ArrayBuffer
  readonly type: string | undefined
  readonly metadata: FrameMetadata
  /** By the page's clock, where the frame has waited since. */
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
  /** Only frames that were received have it, those to be sent do not. */
  readonly receiveTime?: number
}

export type ToWorker =
  /** How to reach the host; said first, and again when the relay could not be had. */
  | { readonly say: 'line'; readonly relay: MessagePort | null }
  | { readonly say: 'track'; readonly note: TrackNote }
  | { readonly say: 'ended'; readonly number: number }
  | { readonly say: 'source'; readonly ssrc: number; readonly id: string; readonly streamId: string; readonly mid: string }
  | { readonly say: 'frame'; readonly number: number; readonly frame: CopiedFrame }
  | { readonly say: 'chunk'; readonly number: number; readonly first: boolean; readonly atMs: number; readonly data: ArrayBuffer }
  | { readonly say: 'problem'; readonly message: string }
  | { readonly say: 'alive' }

export type FromWorker =
  | { readonly say: 'flowing'; readonly number: number }
  | { readonly say: 'reveal'; readonly on: boolean }
  | { readonly say: 'resume' }

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
  /** The page takes this receiver's frames itself. */
  readonly claimed: WeakSet<RTCRtpReceiver>
  /** Streams of receivers that the page may still claim, in the task in which they were made. */
  readonly held: Map<RTCRtpReceiver, EncodedStreams>
  readonly send: (message: ToWorker, transfer?: Transferable[]) => void
  readonly note: (tapped: Tapped) => void
  readonly take: (receiver: RTCRtpReceiver, way: Way) => Tapped
  readonly attach: (receiver: RTCRtpReceiver) => void
}
