// Recognises one participant's live audio: interim results while an utterance grows, and a final one when it ends.
import type { SpokenWord } from '../../domain/transcript.ts'
import { type LiveResult, SpeechFailed } from '../provider.ts'
import { floatSamples, WindowCutter } from './audio-windows.ts'
import { type Engine, type SpeechSegment, secondsOf, utteranceOf } from './engine.ts'
import type { EngineQueue } from './engine-queue.ts'
import { SAMPLES_PER_SECOND } from './samples.ts'
import { Segmenter } from './segmenter.ts'
import type { Detector, VoiceActivity } from './voice-activity.ts'

export type LiveTools = {
  readonly engine: Engine
  readonly voiceActivity: VoiceActivity
  readonly queue: EngineQueue
  readonly onResult: (result: LiveResult) => void
  readonly onFailed: (error: unknown) => void
}

/** A shorter gap is a late packet or a short mute, and is filled with silence. A longer gap ends the utterance. */
const SHORT_GAP_SECONDS = 0.6
/** Smaller differences are jitter. A clock that falls behind by `BEHIND_SECONDS` is followed. */
const JITTER_SECONDS = 0.06
const BEHIND_SECONDS = 0.25
/** Many senders stop sending during silence, so this long without audio ends the utterance. */
const QUIET_MS = 600
const MAY_BE_QUIET_MS = 250
const LOOK_AGAIN_MS = 100
/** The shortest time between two interim results. A busy engine makes fewer. */
const INTERIM_EVERY_MS = 300
const UNSTABLE_SECONDS = 0.3
/** With a longer backlog the transcript is not live any more, and memory would grow without limit. */
const MOST_BEHIND_SECONDS = 300

/** A speculative final result, used if the current pause ends the utterance. */
type Speculation = {
  readonly start: number
  readonly seconds: number
  readonly cancel: AbortController
  readonly words: Promise<readonly SpokenWord[] | null>
}

export class LiveRecognition {
  readonly #tools: LiveTools
  #cutter = new WindowCutter()
  #segmenter: Segmenter | null = null
  #detect: Detector
  /** The expected recording time of the next sample. */
  #expectedAt = 0
  #behindSeconds = 0
  #nextInterimMs = 0
  readonly #recogniseGrowing: Engine['recognise']
  #interimText = ''
  #speculation: Speculation | null = null
  #quiet: NodeJS.Timeout | undefined
  #isOver = false
  /** Serialises the processing of audio windows. */
  #work: Promise<void> = Promise.resolve()

  constructor(tools: LiveTools) {
    this.#tools = tools
    this.#recogniseGrowing = tools.engine.growingRecogniser()
    this.#detect = tools.voiceActivity.detector()
  }

  write(pcm: Int16Array, at: number): void {
    this.#then(async () => {
      await this.#moveTo(at)
      await this.#listen(floatSamples(pcm))
      this.#tryInterim()
    })
    this.#awaitQuiet()
  }

  /** Resolves after the last result. */
  async end(): Promise<void> {
    clearTimeout(this.#quiet)
    this.#then(async () => this.#finish())
    await this.#work
    await this.#tools.queue.run(async () => undefined)
  }

  /** Drops all pending audio. No result follows. */
  stop(): void {
    clearTimeout(this.#quiet)
    this.#isOver = true
    this.#tools.queue.withdrawInterim(this)
  }

  /** The extra delay at the end is for a busy process: its timer may fire before it has handled audio that arrived in time. */
  #awaitQuiet(): void {
    const after = (ms: number, step: () => void): void => {
      this.#quiet = setTimeout(step, ms)
    }
    const finish = (): void => this.#then(async () => this.#finish())
    clearTimeout(this.#quiet)
    after(MAY_BE_QUIET_MS, () => {
      this.#then(async () => this.#speculate(this.#segmenter?.ending() ?? null))
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
    if (gap > -BEHIND_SECONDS && gap < JITTER_SECONDS) return
    if (gap > 0 && gap <= SHORT_GAP_SECONDS) return await this.#listen(new Float32Array(Math.round(gap * SAMPLES_PER_SECOND)))
    this.#finish()
    this.#segmenter = new Segmenter(at)
    this.#expectedAt = at
  }

  async #listen(samples: Float32Array): Promise<void> {
    this.#expectedAt += samples.length / SAMPLES_PER_SECOND
    for (const window of this.#cutter.push(samples)) {
      const [probability = 0] = await this.#detect([window])
      this.#finishUtterance(this.#segmenter?.push(window, probability) ?? null)
      this.#speculate(this.#segmenter?.pausing() ?? null)
    }
  }

  /** Ends the utterance. The next audio starts a new one. */
  #finish(): void {
    this.#finishUtterance(this.#segmenter?.flush() ?? null)
    this.#segmenter = null
    this.#cutter = new WindowCutter()
    this.#detect = this.#tools.voiceActivity.detector()
  }

  #finishUtterance(segment: SpeechSegment | null): void {
    if (!segment) return
    const seconds = secondsOf(segment)
    this.#behindSeconds += seconds
    this.#interimText = ''
    this.#tools.queue.withdrawInterim(this)
    if (this.#behindSeconds > MOST_BEHIND_SECONDS)
      throw new SpeechFailed('native_streaming: this machine is too slow for live recognition', { retryable: true })
    this.#nextInterimMs = performance.now() + INTERIM_EVERY_MS
    const speculation = this.#speculation
    this.#speculation = null
    const isRight = speculation?.start === segment.start && speculation.seconds === seconds
    if (!isRight) speculation?.cancel.abort()
    const words = isRight ? speculation.words : this.#words(segment, new AbortController().signal)
    words
      .then((recognised) => {
        this.#behindSeconds -= seconds
        this.#report(segment, recognised, true)
      })
      .catch((error: unknown) => this.#fail(error))
  }

  /**
   * Starts recognition at the first pause, because a pause is mostly the end of the utterance. The result is then ready when the silence
   * is long enough. Skipped while final results are queued.
   */
  #speculate(segment: SpeechSegment | null): void {
    if (this.#speculation && !this.#segmenter?.isPausing) {
      this.#speculation.cancel.abort()
      this.#speculation = null
    }
    if (!segment || this.#speculation || this.#tools.queue.hasFinalWork) return
    const cancel = new AbortController()
    const words = this.#words(segment, cancel.signal)
    words.catch(() => undefined)
    this.#speculation = { start: segment.start, seconds: secondsOf(segment), cancel, words }
  }

  #words(segment: SpeechSegment, signal: AbortSignal): Promise<readonly SpokenWord[] | null> {
    const { queue, engine } = this.#tools
    return queue.run(async () => (this.#isOver || signal.aborted ? null : engine.recognise(segment, signal)))
  }

  #tryInterim(): void {
    const { queue } = this.#tools
    if (performance.now() < this.#nextInterimMs) return
    const segment = this.#segmenter?.unfinished()
    if (!segment) {
      queue.withdrawInterim(this)
      return
    }
    const started = queue.tryInterim(this, async (signal) => {
      const words = await this.#recogniseGrowing(segment, signal)
      if (!signal.aborted) this.#reportInterim(segment, words && stableWords(segment, words))
    })
    if (started) this.#nextInterimMs = performance.now() + INTERIM_EVERY_MS
    started?.catch((error: unknown) => this.#fail(error))
  }

  /** Skips an interim result with unchanged text. */
  #reportInterim(segment: SpeechSegment, words: readonly SpokenWord[] | null): void {
    const text = words?.map(({ punctuatedWord }) => punctuatedWord).join(' ') ?? ''
    if (text === this.#interimText) return
    this.#interimText = text
    this.#report(segment, words, false)
  }

  #report(segment: SpeechSegment, words: readonly SpokenWord[] | null, final: boolean): void {
    const utterance = words && utteranceOf(segment, words)
    if (utterance && !this.#isOver) this.#tools.onResult({ ...utterance, final })
  }
}

/** Leaves out the last word, which is often cut in two, and words near the end, which the model tends to invent. */
function stableWords(segment: SpeechSegment, words: readonly SpokenWord[]): readonly SpokenWord[] {
  const until = secondsOf(segment) - UNSTABLE_SECONDS
  return words.slice(0, -1).filter(({ end }) => end <= until)
}
