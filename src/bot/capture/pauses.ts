// The pauses of a recording, in session time. Speech may be reported after the pause that it reached into.
import type { Span } from './source/speech-detector.ts'

export class Pauses {
  readonly #ended: Span[] = []
  #sinceMs: number | null

  /** `sinceMs`: paused since then; null: not paused. */
  constructor(sinceMs: number | null) {
    this.#sinceMs = sinceMs
  }

  get isPaused(): boolean {
    return this.#sinceMs !== null
  }

  begin(atMs: number): void {
    this.#sinceMs ??= atMs
  }

  end(atMs: number): void {
    if (this.#sinceMs !== null) this.#ended.push({ fromMs: this.#sinceMs, toMs: atMs })
    this.#sinceMs = null
  }

  /** The parts of the span that are in no pause. */
  outside(span: Span): readonly Span[] {
    const present = this.#sinceMs === null ? [] : [{ fromMs: this.#sinceMs, toMs: Number.POSITIVE_INFINITY }]
    return [...this.#ended, ...present].reduce<readonly Span[]>((parts, pause) => parts.flatMap((it) => outsideOf(it, pause)), [span])
  }
}

function outsideOf({ fromMs, toMs }: Span, pause: Span): readonly Span[] {
  const before = { fromMs, toMs: Math.min(toMs, pause.fromMs) }
  const after = { fromMs: Math.max(fromMs, pause.toMs), toMs }
  return [before, after].filter((it) => it.toMs > it.fromMs)
}
