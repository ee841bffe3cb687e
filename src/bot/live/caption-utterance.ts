// One caption from its first word to its last: which part of its text is delivered, and which part a pause hides.
import type { Caption } from '../../domain/meeting.ts'
import type { Speaker } from './audio-frame.ts'
import { addedTo, type SpeakerResult } from './live-words.ts'

/** A result of a caption. Times are milliseconds since 1970. */
export type CaptionResult = Pick<SpeakerResult, 'speaker' | 'text' | 'final' | 'newText'> & {
  readonly fromMs: number
  readonly toMs: number
}

/** The fastest speech. Bounds the start of a caption that arrives whole. */
const SHORTEST_WORD_MS = 200

type Delivered = { readonly text: string; readonly fromMs: number; readonly changedMs: number }
type State =
  /** No text is delivered since the start or the last pause. */
  | { readonly kind: 'empty' }
  /** An interim result is delivered. */
  | ({ readonly kind: 'open' } & Delivered)
  | { readonly kind: 'final' }

const EMPTY: State = { kind: 'empty' }
const FINAL: State = { kind: 'final' }

export class CaptionUtterance {
  seenMs: number
  readonly #speaker: Speaker
  #state: State = EMPTY
  #wordCount = 0
  /** The first words are not delivered again: they were delivered before a pause, or spoken in one. */
  #skippedWords = 0

  constructor(speaker: Speaker, atMs: number) {
    this.#speaker = speaker
    this.seenMs = atMs
  }

  /** Hides all words so far. */
  skip({ text, final, at }: Caption): void {
    this.#wordCount = wordsIn(text).length
    this.#skippedWords = this.#wordCount
    if (final) this.#state = FINAL
    this.seenMs = at
  }

  /** The result of a new version; null if it changes nothing. */
  update({ text: all, final, at }: Caption): CaptionResult | null {
    if (this.#state.kind === 'final') return null
    const before = this.#state.kind === 'open' ? this.#state : { text: '', fromMs: at, changedMs: at }
    const words = wordsIn(all)
    const text = this.#skippedWords === 0 ? all.trim() : words.slice(this.#skippedWords).join(' ')
    this.#wordCount = words.length
    this.seenMs = at
    const isUnchanged = text === '' || (text === before.text && !final)
    // A version that only becomes final was spoken before.
    const delivered = { text, fromMs: before.fromMs, changedMs: text === before.text ? before.changedMs : at }
    if (final) this.#state = FINAL
    else if (!isUnchanged) this.#state = { kind: 'open', ...delivered }
    return isUnchanged ? null : this.#result(delivered, before.text, final)
  }

  /** Makes the text so far final. Later words are another utterance. */
  settle(): CaptionResult | null {
    this.#skippedWords = this.#wordCount
    if (this.#state.kind !== 'open') return null
    const result = this.#result(this.#state, this.#state.text, true)
    this.#state = EMPTY
    return result
  }

  close(): CaptionResult | null {
    const result = this.settle()
    this.#state = FINAL
    return result
  }

  #result({ text, fromMs, changedMs }: Delivered, before: string, final: boolean): CaptionResult {
    const earliestMs = changedMs - wordsIn(text).length * SHORTEST_WORD_MS
    return { speaker: this.#speaker, text, final, newText: addedTo(before, text), fromMs: Math.min(fromMs, earliestMs), toMs: changedMs }
  }
}

function wordsIn(text: string): readonly string[] {
  return text.split(/\s+/).filter((word) => word !== '')
}
