// One person's voice while it arrives: foretastes of what is being said, and the whole once it has been said.
import { type HeardWord, type LiveHeard, SpeechFailed } from '../provider.ts'
import { type Engine, SAMPLES_PER_SECOND, type Stretch, secondsOf, utteranceOf } from './engine.ts'
import { Segmenter } from './segmenter.ts'
import { floatSamples, WindowCutter } from './sound.ts'
import type { Turns } from './turns.ts'
import type { VoiceActivity } from './voice-activity.ts'

export type LiveTools = {
  readonly engine: Engine
  readonly voiceActivity: VoiceActivity
  readonly turns: Turns
  readonly onHeard: (heard: LiveHeard) => void
  readonly onFailed: (error: unknown) => void
}

/** A gap up to here is a late packet or a muted breath, and is filled with silence; a longer one ends what was being said. */
const SHORT_GAP_SECONDS = 0.6
/** Clocks of packets tremble. One that has fallen behind this much is believed. */
const TREMBLE_SECONDS = 0.06
const BEHIND_SECONDS = 0.25
/** Many senders send no silence: when nothing has come for so long, the sentence is over. */
const QUIET_MS = 600
const MAY_BE_QUIET_MS = 250
const LOOK_AGAIN_MS = 100
/** Words come at this pace; the engine may have less time. */
const FORETASTE_EVERY_MS = 300
const UNSETTLED_SECONDS = 0.3
/** Behind this much speech, what comes out is no live transcript any more, and memory would grow without end. */
const MOST_BEHIND_SECONDS = 300

/** What was said, if the pause turns out to be the end. */
type Guess = {
  readonly start: number
  readonly seconds: number
  readonly given: AbortController
  readonly words: Promise<readonly HeardWord[] | null>
}

export class LiveVoice {
  readonly #tools: LiveTools
  #cutter = new WindowCutter()
  #segmenter: Segmenter | null = null
  #voiceIn: (window: Float32Array) => Promise<number>
  /** Where in the recording the next sample is expected. */
  #expectedAt = 0
  #behindSeconds = 0
  #nextForetasteMs = 0
  readonly #hearPart: Engine['hear']
  #partText = ''
  #guess: Guess | null = null
  #quiet: NodeJS.Timeout | undefined
  #isOver = false
  /** Windows are looked at one after another, however they arrive. */
  #work: Promise<void> = Promise.resolve()

  constructor(tools: LiveTools) {
    this.#tools = tools
    this.#hearPart = tools.engine.followGrowing()
    this.#voiceIn = tools.voiceActivity.listener()
  }

  write(pcm: Int16Array, at: number): void {
    this.#then(async () => {
      await this.#moveTo(at)
      await this.#listen(floatSamples(pcm))
      this.#foretaste()
    })
    this.#awaitQuiet()
  }

  /** Settles once everything has been heard. */
  async end(): Promise<void> {
    clearTimeout(this.#quiet)
    this.#then(async () => this.#finish())
    await this.#work
    await this.#tools.turns.take(async () => undefined)
  }

  /** Hears nothing more, not even what is still waiting. */
  stop(): void {
    clearTimeout(this.#quiet)
    this.#isOver = true
    this.#tools.turns.forget(this)
  }

  /** Asked again at the end: a process that was busy finds its clock run out before it has looked at what has long arrived. */
  #awaitQuiet(): void {
    const after = (ms: number, step: () => void): void => {
      this.#quiet = setTimeout(step, ms)
    }
    const finish = (): void => this.#then(async () => this.#finish())
    clearTimeout(this.#quiet)
    after(MAY_BE_QUIET_MS, () => {
      this.#then(async () => this.#guessWhole(this.#segmenter?.ending() ?? null))
      after(QUIET_MS - MAY_BE_QUIET_MS, () => after(LOOK_AGAIN_MS, finish))
    })
  }

  #then(step: () => Promise<void>): void {
    this.#work = this.#work.then(async () => (this.#isOver ? undefined : await step())).catch((error: unknown) => this.#fail(error))
  }

  #fail(error: unknown): void {
    if (this.#isOver) return
    this.stop()
    this.#tools.onFailed(error)
  }

  async #moveTo(at: number): Promise<void> {
    const gap = this.#segmenter ? at - this.#expectedAt : Number.POSITIVE_INFINITY
    if (gap > -BEHIND_SECONDS && gap < TREMBLE_SECONDS) return
    if (gap > 0 && gap <= SHORT_GAP_SECONDS) return await this.#listen(new Float32Array(Math.round(gap * SAMPLES_PER_SECOND)))
    this.#finish()
    this.#segmenter = new Segmenter(at)
    this.#expectedAt = at
  }

  async #listen(samples: Float32Array): Promise<void> {
    this.#expectedAt += samples.length / SAMPLES_PER_SECOND
    for (const window of this.#cutter.push(samples)) {
      this.#say(this.#segmenter?.push(window, await this.#voiceIn(window)) ?? null)
      this.#guessWhole(this.#segmenter?.pausing() ?? null)
    }
  }

  /** What has been said is all there is for now; what comes next begins anew. */
  #finish(): void {
    this.#say(this.#segmenter?.flush() ?? null)
    this.#segmenter = null
    this.#cutter = new WindowCutter()
    this.#voiceIn = this.#tools.voiceActivity.listener()
  }

  #say(stretch: Stretch | null): void {
    if (!stretch) return
    const seconds = secondsOf(stretch)
    this.#behindSeconds += seconds
    this.#partText = ''
    this.#tools.turns.forget(this)
    if (this.#behindSeconds > MOST_BEHIND_SECONDS)
      throw new SpeechFailed('native_streaming: this machine is too slow to follow what is said', { passing: true })
    this.#nextForetasteMs = performance.now() + FORETASTE_EVERY_MS
    const guess = this.#guess
    this.#guess = null
    const isRight = guess?.start === stretch.start && guess.seconds === seconds
    if (!isRight) guess?.given.abort()
    const words = isRight ? guess.words : this.#words(stretch, new AbortController().signal)
    words
      .then((heard) => {
        this.#behindSeconds -= seconds
        this.#tell(stretch, heard, true)
      })
      .catch((error: unknown) => this.#fail(error))
  }

  /**
   * A pause is mostly the end: whoever begins to think about it now has the words when the silence has lasted long enough. Not while
   * somebody waits for words that are needed.
   */
  #guessWhole(stretch: Stretch | null): void {
    if (this.#guess && !this.#segmenter?.isPausing) {
      this.#guess.given.abort()
      this.#guess = null
    }
    if (!stretch || this.#guess || this.#tools.turns.isNeeded) return
    const given = new AbortController()
    const words = this.#words(stretch, given.signal)
    words.catch(() => undefined)
    this.#guess = { start: stretch.start, seconds: secondsOf(stretch), given, words }
  }

  #words(stretch: Stretch, signal: AbortSignal): Promise<readonly HeardWord[] | null> {
    const { turns, engine } = this.#tools
    return turns.take(async () => (this.#isOver || signal.aborted ? null : engine.hear(stretch, signal)))
  }

  #foretaste(): void {
    const { turns } = this.#tools
    if (performance.now() < this.#nextForetasteMs) return
    const stretch = this.#segmenter?.unfinished()
    if (!stretch) {
      turns.forget(this)
      return
    }
    const tasted = turns.tryNow(this, async (signal) => {
      const words = await this.#hearPart(stretch, signal)
      if (!signal.aborted) this.#tellPart(stretch, words && settledWords(stretch, words))
    })
    if (tasted) this.#nextForetasteMs = performance.now() + FORETASTE_EVERY_MS
    tasted?.catch((error: unknown) => this.#fail(error))
  }

  /** The same words again are no news. */
  #tellPart(stretch: Stretch, words: readonly HeardWord[] | null): void {
    const text = words?.map(({ punctuatedWord }) => punctuatedWord).join(' ') ?? ''
    if (text === this.#partText) return
    this.#partText = text
    this.#tell(stretch, words, false)
  }

  #tell(stretch: Stretch, words: readonly HeardWord[] | null, final: boolean): void {
    const utterance = words && utteranceOf(stretch, words)
    if (utterance && !this.#isOver) this.#tools.onHeard({ ...utterance, final })
  }
}

/** The last word is often cut in two and then wrong, and a model that is cut short likes to guess how it goes on: neither is told. */
function settledWords(stretch: Stretch, words: readonly HeardWord[]): readonly HeardWord[] {
  const until = secondsOf(stretch) - UNSETTLED_SECONDS
  return words.slice(0, -1).filter(({ end }) => end <= until)
}
