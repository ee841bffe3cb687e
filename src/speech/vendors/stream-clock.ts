// Converts vendor times to recording times. A vendor counts only the audio it receives, and silence is not sent.

export const SAMPLE_RATE = 16_000

type Mark = { readonly sent: number; readonly at: number }

/** A smaller difference is jitter and not a silence. */
const NEARBY_SECONDS = 0.02
/** Older marks are dropped, because results do not refer to them any more. */
const MOST_MARKS = 1_000

export class StreamClock {
  readonly #marks: Mark[] = []
  #sent = 0

  /** Counts samples before they are sent. `at` is the recording time of the first one. */
  add(samples: number, at: number): void {
    const last = this.#marks.at(-1)
    const expected = last ? last.at + this.sentSeconds - last.sent : null
    if (expected === null || Math.abs(at - expected) > NEARBY_SECONDS) this.#marks.push({ sent: this.sentSeconds, at })
    if (this.#marks.length > MOST_MARKS) this.#marks.shift()
    this.#sent += samples
  }

  /** Counts padding, which has no recording time. */
  skip(samples: number): void {
    this.#sent += samples
  }

  get sentSeconds(): number {
    return this.#sent / SAMPLE_RATE
  }

  /** At a mark, a word's start belongs after the silence and its end before it. */
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
