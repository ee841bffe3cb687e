// The meeting's own captions as live words: each comes again, with more text, until it is final. Paused means no words.
import type { Caption } from '../../domain/meeting.ts'
import { toldOf } from '../../kit/failure.ts'
import { spread, toUtterance } from '../../speech/utterances.ts'
import type { Speaker } from './audio-frame.ts'
import { addedTo, type Heard, NOBODY } from './live-words.ts'

type CaptionsOptions = {
  /** Has the meeting write down what is said; rejects where it cannot. */
  readonly begin: () => Promise<void>
  readonly onHeard: (heard: Heard) => void
  readonly onFailed: (message: string) => void
  /** When second zero of the recording was, in milliseconds since 1970. */
  readonly zeroMs: () => number
  /** The clock of captions. */
  readonly now: () => number
}

export type Captions = {
  see(caption: Caption): void
  pause(): void
  resume(): void
  /** What was never finished is final now. */
  end(): Promise<void>
}

/** So long after it was said a caption may still come: until then it may tell of the pause. */
const LATE_MS = 2_000
/** One that has not changed for so long will not: the platform forgot to say so. */
const STALE_MS = 60_000
/** Nobody speaks faster; for a caption that comes whole, and says nothing of how long it took. */
const SHORTEST_WORD_MS = 200
/** A caption that comes again after so many others is a new one. */
const MOST_KNOWN = 1_000

export function startCaptions({ begin, onHeard, onFailed, zeroMs, now }: CaptionsOptions): Captions {
  const known = new Map<string, Utterance>()
  let isPaused = false
  let deafUntilMs = Number.NEGATIVE_INFINITY
  const unknown = { code: 'captions_failed', message: 'the page of the meeting did not respond as expected' }
  begin().catch((error: unknown) => onFailed(`The captions could not be switched on: ${toldOf(error, unknown).message}`))

  function tell(version: Version | null): void {
    if (!version) return
    const { text, fromMs, toMs, ...rest } = version
    const seconds = (ms: number) => Math.max(0, (ms - zeroMs()) / 1000)
    const utterance = toUtterance(spread(text, seconds(fromMs), seconds(toMs)), text)
    if (utterance) onHeard({ ...utterance, ...rest })
  }

  function find({ id, from, name, at }: Caption): Utterance {
    const found = known.get(id) ?? new Utterance(from === '' ? NOBODY : { id: from, name }, at)
    // The last to have come stands last.
    known.delete(id)
    known.set(id, found)
    return found
  }

  function tidy(nowMs: number): void {
    for (const [id, it] of known) {
      if (nowMs - it.seenMs <= STALE_MS && known.size <= MOST_KNOWN) return
      tell(it.close())
      if (known.size > MOST_KNOWN) known.delete(id)
    }
  }

  function settleAll(): void {
    isPaused = true
    for (const it of known.values()) tell(it.settle())
  }

  return {
    see(caption) {
      const it = find(caption)
      if (isPaused || caption.at < deafUntilMs) it.pass(caption)
      else tell(it.grow(caption))
      tidy(caption.at)
    },
    pause: settleAll,
    resume() {
      if (isPaused) deafUntilMs = now() + LATE_MS
      isPaused = false
    },
    end: async () => settleAll(),
  }
}

/** What is to be told of a caption. Times are milliseconds since 1970. */
type Version = Pick<Heard, 'speaker' | 'text' | 'final' | 'newText'> & { readonly fromMs: number; readonly toMs: number }

/** One caption, from its first word to its last. */
class Utterance {
  seenMs: number
  readonly #speaker: Speaker
  /** How many words it has, and how many of them are not told: they were told before a pause, or said in one. */
  #count = 0
  #passed = 0
  /** What was told of it. */
  #text = ''
  #fromMs = 0
  #changedMs = 0
  #isOver = false

  constructor(speaker: Speaker, atMs: number) {
    this.#speaker = speaker
    this.seenMs = atMs
  }

  pass({ text, final, at }: Caption): void {
    this.#count = wordsIn(text).length
    this.#passed = this.#count
    this.#isOver ||= final
    this.seenMs = at
  }

  grow({ text: all, final, at }: Caption): Version | null {
    if (this.#isOver) return null
    const words = wordsIn(all)
    const text = this.#passed === 0 ? all.trim() : words.slice(this.#passed).join(' ')
    const before = this.#text
    this.#count = words.length
    this.#isOver = final
    this.seenMs = at
    if (text === '' || (text === before && !final)) return null
    if (before === '') this.#fromMs = at
    // What only became final was said before.
    if (text !== before) this.#changedMs = at
    this.#text = text
    return this.#version(before, final)
  }

  /** What was told so far is final; what is said from here on is another utterance. */
  settle(): Version | null {
    const version = this.#isOver || this.#text === '' ? null : this.#version(this.#text, true)
    this.#passed = this.#count
    this.#text = ''
    return version
  }

  close(): Version | null {
    const version = this.settle()
    this.#isOver = true
    return version
  }

  #version(before: string, final: boolean): Version {
    const text = this.#text
    const fromMs = Math.min(this.#fromMs, this.#changedMs - wordsIn(text).length * SHORTEST_WORD_MS)
    return { speaker: this.#speaker, text, final, newText: addedTo(before, text), fromMs, toMs: this.#changedMs }
  }
}

function wordsIn(text: string): readonly string[] {
  return text.split(/\s+/).filter((word) => word !== '')
}
