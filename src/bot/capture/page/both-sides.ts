/// <reference lib="dom" />
// Frames that the page takes from a receiver are seen twice: when it reads them, and when it writes them back for the browser to decode.
// What is written counts, because it may have been decrypted. A page that decodes by itself writes nothing: then what it reads counts.
import type { CopiedFrame, EncodedFrame } from './config.ts'
import { pageNowMs } from './shipper.ts'

/** A page that writes back does so within milliseconds. Speakers move between lanes, and the recording puts packets in order for 750 ms. */
const KEPT_AFTER_MS = 300
/** Ten seconds of packets: a page that stopped its own timers must not make the tap grow. */
const MOST_WAITING = 500

const LONGEST_ON_ITS_WAY_MS = 10_000

/** What the page was last seen to do with frames of one kind; the next receiver is expected to be treated alike. */
export class Habit {
  keeps = false
  readonly all = new Set<BothSides>()
}

type Read = { readonly frame: EncodedFrame; readonly copy: CopiedFrame; readonly readMs: number }

export class BothSides {
  readonly #habit: Habit
  readonly #ship: (frame: CopiedFrame) => void
  #keeps: boolean
  /** Read and not written back yet. */
  #waiting: Read[] = []
  #timer: ReturnType<typeof setTimeout> | null = null
  readonly #shipped = new WeakSet<EncodedFrame>()

  constructor(habit: Habit, ship: (frame: CopiedFrame) => void) {
    this.#habit = habit
    this.#keeps = habit.keeps
    this.#ship = ship
    habit.all.add(this)
  }

  read(frame: EncodedFrame): void {
    // The page owns the frame from here on, and may change it in place.
    const read = { frame, copy: copyOf(frame), readMs: pageNowMs() }
    if (this.#keeps) {
      this.#send(read)
      return
    }
    this.#waiting.push(read)
    if (this.#waiting.length > MOST_WAITING) this.#waiting.shift()
    this.#timer ??= setTimeout(() => this.#judge(), KEPT_AFTER_MS)
  }

  /** False: this very frame was shipped when it was read. */
  write(frame: EncodedFrame): boolean {
    this.#keeps = this.#habit.keeps = false
    const at = this.#waiting.findIndex((it) => it.frame === frame)
    // Frames before it were dropped by the page, as a decryption drops what it cannot read. A frame from another thread is a copy.
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
    this.#habit.keeps = true
    // All lanes together: a speaker may be in another one by now.
    for (const sides of this.#habit.all) sides.#release()
  }

  #release(): void {
    this.#keeps = true
    for (const read of this.#waiting.splice(0)) this.#send(read)
  }

  #send({ frame, copy }: Read): void {
    this.#shipped.add(frame)
    this.#ship(copy)
  }
}

/** With the time at which its packet came: a busy page may get to it much later. */
export function copyOf(frame: EncodedFrame): CopiedFrame {
  const metadata = { ...frame.getMetadata() }
  const { receiveTime = Number.NaN } = metadata
  const [arrivedMs, nowMs] = [performance.timeOrigin + receiveTime, pageNowMs()]
  const isLikely = arrivedMs <= nowMs && nowMs - arrivedMs < LONGEST_ON_ITS_WAY_MS
  return { data: frame.data.slice(0), type: frame.type, metadata, receivedMs: isLikely ? arrivedMs : nowMs }
}

/** Frames pass as they are; `see` looks at each. */
export function looking(readable: ReadableStream<EncodedFrame>, see: (frame: EncodedFrame) => void): ReadableStream<EncodedFrame> {
  return readable.pipeThrough(
    new TransformStream<EncodedFrame, EncodedFrame>({
      transform(frame, controller) {
        see(frame)
        controller.enqueue(frame)
      },
    }),
  )
}

/** The end to write to, in front of the browser's own. */
export function before(writable: WritableStream<EncodedFrame>, see: (frame: EncodedFrame) => void): WritableStream<EncodedFrame> {
  const through = new TransformStream<EncodedFrame, EncodedFrame>({
    transform(frame, controller) {
      see(frame)
      controller.enqueue(frame)
    },
  })
  through.readable.pipeTo(writable).catch(() => undefined) // The receiver has closed: so has the stream.
  return through.writable
}
