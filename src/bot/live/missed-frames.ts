// Counts frames that could not be sent, until the receiver can be informed.

export type Span = { readonly frames: number; readonly fromMs: number; readonly toMs: number }

const NOTHING: Span = { frames: 0, fromMs: Number.POSITIVE_INFINITY, toMs: Number.NEGATIVE_INFINITY }

export class MissedFrames {
  #span = NOTHING

  add({ frames, fromMs, toMs }: Span): void {
    const before = this.#span
    this.#span = { frames: before.frames + frames, fromMs: Math.min(before.fromMs, fromMs), toMs: Math.max(before.toMs, toMs) }
  }

  /** Everything since the last call; null if nothing was missed. */
  take(): Span | null {
    const span = this.#span
    this.#span = NOTHING
    return span.frames === 0 ? null : span
  }
}

/** `milliseconds` is from the start of the first missed frame to the end of the last one. */
export function gapText({ frames, fromMs, toMs }: Span): string {
  const [from, to] = [new Date(fromMs).toISOString(), new Date(toMs).toISOString()]
  return JSON.stringify({ type: 'gap', frames, milliseconds: toMs - fromMs, from, to })
}
