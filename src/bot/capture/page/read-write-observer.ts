/// <reference lib="dom" />
// Observes frames that the page takes from a receiver: when it reads them, and when it writes them back for the browser to decode.
// Written frames are recorded, because the page may have decrypted them. A page that decodes by itself writes none, so its reads are recorded.
import type { CopiedFrame, EncodedFrame } from './config.ts'
import { pageNowMs } from './shipper.ts'

/** A page that writes back does so within milliseconds. The recording tolerates less than 750 ms, its hold time for audio of lanes. */
const KEPT_AFTER_MS = 300
/** Ten seconds of packets: bounds the memory if the page stops its timers. */
const MOST_WAITING = 500

const LONGEST_TRANSIT_MS = 10_000

/** How the page last handled frames of one kind. The next receiver is expected to be handled the same way. */
export class FrameHandling {
  keepsFrames = false
  readonly all = new Set<ReadWriteObserver>()
}

type Read = { readonly frame: EncodedFrame; readonly copy: CopiedFrame; readonly readMs: number }

export class ReadWriteObserver {
  readonly #handling: FrameHandling
  readonly #ship: (frame: CopiedFrame) => void
  #keepsFrames: boolean
  /** Frames that were read and not written back yet. */
  #waiting: Read[] = []
  #timer: ReturnType<typeof setTimeout> | null = null
  readonly #shipped = new WeakSet<EncodedFrame>()

  constructor(handling: FrameHandling, ship: (frame: CopiedFrame) => void) {
    this.#handling = handling
    this.#keepsFrames = handling.keepsFrames
    this.#ship = ship
    handling.all.add(this)
  }

  read(frame: EncodedFrame): void {
    // The page owns the frame from now on and may change it in place.
    const read = { frame, copy: copyOf(frame), readMs: pageNowMs() }
    if (this.#keepsFrames) {
      this.#send(read)
      return
    }
    this.#waiting.push(read)
    if (this.#waiting.length > MOST_WAITING) this.#waiting.shift()
    this.#timer ??= setTimeout(() => this.#judge(), KEPT_AFTER_MS)
  }

  /** False if this frame was shipped when it was read. */
  write(frame: EncodedFrame): boolean {
    this.#keepsFrames = this.#handling.keepsFrames = false
    const at = this.#waiting.findIndex((it) => it.frame === frame)
    // The page dropped the frames before it, as decryption does with unreadable ones. A frame from another thread is a copy.
    this.#waiting = at < 0 ? [] : this.#waiting.slice(at + 1)
    return !this.#shipped.has(frame)
  }

  #judge(): void {
    this.#timer = null
    const [oldest] = this.#waiting
    if (!oldest) return
    const leftMs = oldest.readMs + KEPT_AFTER_MS - pageNowMs()
    if (leftMs > 0) {
      this.#timer = setTimeout(() => this.#judge(), leftMs)
      return
    }
    this.#handling.keepsFrames = true
    // Of all lanes, in order: a speaker may have moved from one to another.
    const reads = [...this.#handling.all].flatMap((observer) => observer.#release().map((read) => ({ observer, read })))
    for (const { observer, read } of reads.sort((a, b) => a.read.readMs - b.read.readMs)) observer.#send(read)
  }

  #release(): readonly Read[] {
    this.#keepsFrames = true
    return this.#waiting.splice(0)
  }

  #send({ frame, copy }: Read): void {
    this.#shipped.add(frame)
    this.#ship(copy)
  }
}

/** Includes the time at which the packet arrived: a busy page may process it much later. */
export function copyOf(frame: EncodedFrame): CopiedFrame {
  const metadata = { ...frame.getMetadata() }
  const { receiveTime = Number.NaN } = metadata
  const [arrivedMs, nowMs] = [performance.timeOrigin + receiveTime, pageNowMs()]
  const isLikely = arrivedMs <= nowMs && nowMs - arrivedMs < LONGEST_TRANSIT_MS
  return { data: frame.data.slice(0), type: frame.type, metadata, receivedMs: isLikely ? arrivedMs : nowMs }
}

type Observe = (frame: EncodedFrame) => void

export function observedReadable(readable: ReadableStream<EncodedFrame>, observe: Observe): ReadableStream<EncodedFrame> {
  return readable.pipeThrough(observing(observe))
}

/** A stream in front of the browser's own, which shows each written frame to `observe`. */
export function observedWritable(writable: WritableStream<EncodedFrame>, observe: Observe): WritableStream<EncodedFrame> {
  const through = observing(observe)
  through.readable.pipeTo(writable).catch(() => undefined) // The stream ends with its receiver.
  return through.writable
}

/** Passes frames unchanged and shows each to `observe`. */
function observing(observe: Observe): TransformStream<EncodedFrame, EncodedFrame> {
  return new TransformStream({
    transform(frame, controller) {
      observe(frame)
      controller.enqueue(frame)
    },
  })
}
