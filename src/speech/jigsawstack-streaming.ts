// JigsawStack while the meeting runs: it has no live protocol, so each utterance is one request, and there are no unfinished ones.
import { Readable } from 'node:stream'
import type { JsonObject } from '../domain/bot.ts'
import { type Endpoint, type Patience, USUAL_PATIENCE } from './http.ts'
import { jigsawstackHears } from './jigsawstack.ts'
import { SAMPLE_RATE } from './live-clock.ts'
import { type LiveEar, type LiveRecogniser, type LiveStream, SpeechFailed } from './provider.ts'
import type { Sound } from './upload.ts'
import { type CutUtterance, UtteranceCutter } from './utterance-cutter.ts'
import { toUtterance } from './utterances.ts'
import { asPcm, asWav } from './wav.ts'

const VENDOR = 'JigsawStack'
/** After so long without sound, what was said is complete. */
const QUIET_MS = 700
/** More would be heard too late to be live. */
const MOST_WAITING = 8
/** One utterance may be lost; this many in a row are an outage. */
const MOST_LOST = 3
const END_MS = 15_000
const LIVE_PATIENCE: Patience = { ...USUAL_PATIENCE, hearingMs: () => 20_000, tries: 3, longestPauseMs: 5_000 }

export function jigsawstackStreaming(endpoint: Endpoint, patience: Patience = LIVE_PATIENCE): LiveRecogniser {
  return { open: (ear, options) => new SpokenInTurn(jigsawstackHears(endpoint, patience), ear, options) }
}

class SpokenInTurn implements LiveStream {
  readonly #hears: ReturnType<typeof jigsawstackHears>
  readonly #ear: LiveEar
  readonly #options: JsonObject
  readonly #stop = new AbortController()
  readonly #cutter = new UtteranceCutter((utterance) => this.#take(utterance))
  #waiting: CutUtterance[] = []
  #work: Promise<void> | null = null
  #lost = 0
  #isOver = false
  #quiet: NodeJS.Timeout | undefined

  constructor(hears: ReturnType<typeof jigsawstackHears>, ear: LiveEar, options: JsonObject) {
    this.#hears = hears
    this.#ear = ear
    this.#options = options
  }

  write(pcm: Int16Array, at: number): void {
    if (this.#isOver) return
    this.#cutter.write(pcm, at)
    clearTimeout(this.#quiet)
    this.#quiet = setTimeout(() => this.#cutter.flush(), QUIET_MS)
  }

  async end(): Promise<void> {
    clearTimeout(this.#quiet)
    this.#cutter.flush()
    const late = setTimeout(() => this.#fail(new SpeechFailed(`${VENDOR} did not finish within ${END_MS} ms.`, { passing: true })), END_MS)
    await this.#work
    clearTimeout(late)
    this.#isOver = true
  }

  #take(utterance: CutUtterance): void {
    if (this.#isOver) return
    this.#waiting = [...this.#waiting, utterance].slice(-MOST_WAITING)
    this.#work ??= this.#hearAll().finally(() => {
      this.#work = null
    })
  }

  async #hearAll(): Promise<void> {
    for (let next = this.#waiting.shift(); next && !this.#isOver; next = this.#waiting.shift()) await this.#hear(next)
  }

  async #hear({ pcm, at, seconds }: CutUtterance): Promise<void> {
    try {
      const { utterances } = await this.#hears(soundOf(asWav(asPcm(pcm), SAMPLE_RATE), seconds), this.#options, this.#stop.signal)
      this.#lost = 0
      const words = utterances
        .flatMap((one) => one.words)
        .map((word) => ({ ...word, text: word.punctuatedWord, start: word.start + at, end: word.end + at }))
      const heard = toUtterance(words, utterances.map(({ text }) => text).join(' '))
      if (heard && !this.#isOver) this.#ear.heard({ ...heard, final: true })
    } catch (error) {
      const failure = error instanceof SpeechFailed ? error : new SpeechFailed(`${VENDOR} failed.`, { passing: false, cause: error })
      if (!failure.passing || ++this.#lost >= MOST_LOST) this.#fail(failure)
    }
  }

  #fail(failure: SpeechFailed): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#stop.abort()
    this.#ear.failed(failure)
  }
}

function soundOf(wav: Buffer, seconds: number): Sound {
  return { name: 'sound.wav', type: 'audio/wav', bytes: wav.length, seconds, open: () => Readable.from([wav]) }
}
