// The speakers of a call whose packets name no source: the platform's dominant speaker while there is sound, or the only one who is not muted.
import type { Caption } from '../../../domain/meeting.ts'

export type Span = NonNullable<Caption['spoken']>

type DominanceTools = {
  /** The participant with this source. */
  readonly ownerOf: (source: string) => string | null
  /** Participants whose microphone is on. */
  readonly unmuted: () => readonly string[]
  readonly onSpoken: (participantId: string, span: Span) => void
}

/** Sound of several possible speakers. Without any dominant speaker, captions are turned on after this much. */
const UNNAMED_MS = 8_000
/** In about 7 % of calls the dominant speaker never changes. The first one is not believed before a change, and given up after this much. */
const STUCK_MS = 30_000
/** Sound that lasts is judged in slices, so that a call without silence has speakers too. */
const SLICE_MS = 1_000
/** The page reports the end of sound this late. A slice ends before it, so it has no silence. */
const SOUND_LAG_MS = 1_000
const MOST_PENDING = 200

/** Sound without a change of what names its speaker. */
type Slice = {
  readonly fromMs: number
  readonly source: string | null
  /** The participant with this source. */
  readonly owner: string | null
  readonly unmuted: readonly string[]
}

export class Dominance {
  /** Only captions can name the speakers of this call. */
  needsCaptions = false
  readonly #tools: DominanceTools
  #source: string | null = null
  #hasChanged = false
  /** The sound that is not judged yet; null in silence. */
  #slice: Slice | null = null
  /** Sound without a speaker since the dominant speaker changed. */
  #doubtfulMs = 0
  /** Speech of the first dominant speaker. */
  #pending: { readonly owner: string; readonly span: Span }[] = []

  constructor(tools: DominanceTools) {
    this.#tools = tools
  }

  /** Another call begins: its sources are others, and so are its captions. Sound of which the page reports no end goes on there. */
  reset(at: number): void {
    this.#judge(at)
    this.needsCaptions = false
    this.#source = null
    this.#hasChanged = false
    this.#doubtfulMs = 0
    this.#pending = []
    if (this.#slice) this.#slice = this.#sliceFrom(at)
  }

  setSource(source: string, at: number): void {
    if (source === this.#source) return
    this.#judge(at)
    this.#hasChanged ||= this.#source !== null
    this.#source = source
    if (this.#slice) this.#slice = this.#sliceFrom(at)
    if (!this.#hasChanged) return
    this.#doubtfulMs = 0
    for (const { owner, span } of this.#pending.splice(0)) this.#tools.onSpoken(owner, span)
  }

  /** `at`: when the sound began or ended. */
  setSound(isAudible: boolean, at: number): void {
    this.#judge(at)
    this.#slice = isAudible ? this.#sliceFrom(at) : null
  }

  /** Time passes, or participants have changed: muted, unmuted, joined or left. */
  advance(at: number): void {
    const slice = this.#slice
    if (!slice) return
    const hasChanged = JSON.stringify(this.#sliceFrom(slice.fromMs)) !== JSON.stringify(slice)
    const toMs = hasChanged ? at : at - SOUND_LAG_MS
    if (!hasChanged && toMs - slice.fromMs < SLICE_MS) return
    this.#judge(toMs)
    this.#slice = this.#sliceFrom(Math.max(toMs, slice.fromMs))
  }

  /** The present speaker; null: unknown or silence. */
  get speaker(): string | null {
    return this.#slice && this.#speakerOf(this.#sliceFrom(this.#slice.fromMs))
  }

  #sliceFrom(fromMs: number): Slice {
    const source = this.#source
    return { fromMs, source, owner: source === null ? null : this.#tools.ownerOf(source), unmuted: this.#tools.unmuted() }
  }

  #speakerOf({ owner, unmuted }: Slice): string | null {
    if (unmuted.length === 1) return unmuted[0] ?? null
    return owner !== null && this.#hasChanged && unmuted.includes(owner) ? owner : null
  }

  /** The sound belongs to its speaker at the beginning: the change that ends a slice is not its own. */
  #judge(toMs: number): void {
    const slice = this.#slice
    if (!slice || this.needsCaptions || toMs <= slice.fromMs) return
    const span = { fromMs: slice.fromMs, toMs }
    const speaker = this.#speakerOf(slice)
    if (speaker !== null) this.#tools.onSpoken(speaker, span)
    else this.#doubt(slice, span)
  }

  #doubt({ source, owner, unmuted }: Slice, span: Span): void {
    this.#doubtfulMs += span.toMs - span.fromMs
    // Someone who is muted does not speak.
    const isWrong = owner !== null && !unmuted.includes(owner)
    if (owner !== null && !isWrong && this.#pending.length < MOST_PENDING) this.#pending.push({ owner, span })
    this.needsCaptions = this.#doubtfulMs >= (source === null || isWrong ? UNNAMED_MS : STUCK_MS)
    if (this.needsCaptions) this.#pending = []
  }
}
