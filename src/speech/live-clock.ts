// Which moment of the recording a vendor means: it counts only what it was sent, and silence is not sent.

export const SAMPLE_RATE = 16_000

type Mark = { readonly sent: number; readonly at: number }

/** Two pieces of sound this far apart are still one. */
const NEARBY_SECONDS = 0.02
/** More silences than this lie too far back to be asked for. */
const MOST_MARKS = 1_000

export class LiveClock {
  readonly #marks: Mark[] = []
  #sent = 0

  /** So many samples are about to be sent; the first of them is of the moment `at`. */
  add(samples: number, at: number): void {
    const last = this.#marks.at(-1)
    const expected = last ? last.at + this.sentSeconds - last.sent : null
    if (expected === null || Math.abs(at - expected) > NEARBY_SECONDS) this.#marks.push({ sent: this.sentSeconds, at })
    if (this.#marks.length > MOST_MARKS) this.#marks.shift()
    this.#sent += samples
  }

  /** Silence of our own, which is of no moment. */
  skip(samples: number): void {
    this.#sent += samples
  }

  get sentSeconds(): number {
    return this.#sent / SAMPLE_RATE
  }

  /** A word's start lies behind a silence, its end before one. */
  startOf(vendorSeconds: number): number {
    return this.#moment(vendorSeconds, (mark) => mark.sent <= vendorSeconds)
  }

  endOf(vendorSeconds: number): number {
    return this.#moment(vendorSeconds, (mark) => mark.sent < vendorSeconds)
  }

  #moment(vendorSeconds: number, isBefore: (mark: Mark) => boolean): number {
    const mark = this.#marks.findLast(isBefore) ?? this.#marks[0]
    return mark ? Math.max(0, mark.at + vendorSeconds - mark.sent) : vendorSeconds
  }
}
