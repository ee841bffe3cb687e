// JigsawStack live: it has no live protocol, so each utterance is one request and there are no interim results.
import { Readable } from 'node:stream'
import type { JsonObject } from '../../domain/bot.ts'
import { DEFAULT_RETRY_POLICY, type Endpoint, type RetryPolicy } from '../http/client.ts'
import type { AudioFile } from '../http/upload.ts'
import { type LiveHandler, type LiveRecogniser, type LiveStream, SpeechFailed } from '../provider.ts'
import { toUtterance } from '../utterances.ts'
import { asPcm, asWav } from '../wav.ts'
import { jigsawstackTranscriber } from './jigsawstack.ts'
import { SAMPLE_RATE } from './stream-clock.ts'
import { type CutUtterance, UtteranceCutter } from './utterance-cutter.ts'

const VENDOR = 'JigsawStack'
/** This long without audio ends the utterance. */
const QUIET_MS = 700
/** Older utterances are dropped, because their results would be too late. */
const MOST_WAITING = 8
/** This many failed utterances in a row are an outage. */
const MOST_LOST = 3
const END_MS = 15_000
const LIVE_PATIENCE: RetryPolicy = {
  ...DEFAULT_RETRY_POLICY,
  audioRequestMs: () => 20_000,
  retry: { attempts: 3, firstMs: 650, longestMs: 5_000 },
}

export function jigsawstackStreaming(endpoint: Endpoint, retryPolicy: RetryPolicy = LIVE_PATIENCE): LiveRecogniser {
  return { open: (handler, options) => new UtteranceRequests(jigsawstackTranscriber(endpoint, retryPolicy), handler, options) }
}

class UtteranceRequests implements LiveStream {
  readonly #transcribe: ReturnType<typeof jigsawstackTranscriber>
  readonly #handler: LiveHandler
  readonly #options: JsonObject
  readonly #stop = new AbortController()
  readonly #cutter = new UtteranceCutter((utterance) => this.#take(utterance))
  #waiting: CutUtterance[] = []
  #work: Promise<void> | null = null
  #lost = 0
  #isOver = false
  #quiet: NodeJS.Timeout | undefined

  constructor(transcribe: ReturnType<typeof jigsawstackTranscriber>, handler: LiveHandler, options: JsonObject) {
    this.#transcribe = transcribe
    this.#handler = handler
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
    const late = setTimeout(
      () => this.#fail(new SpeechFailed(`${VENDOR} did not finish within ${END_MS} ms.`, { retryable: true })),
      END_MS,
    )
    await this.#work
    clearTimeout(late)
    this.#isOver = true
  }

  #take(utterance: CutUtterance): void {
    if (this.#isOver) return
    this.#waiting = [...this.#waiting, utterance].slice(-MOST_WAITING)
    this.#work ??= this.#transcribeAll().finally(() => {
      this.#work = null
    })
  }

  async #transcribeAll(): Promise<void> {
    for (let next = this.#waiting.shift(); next && !this.#isOver; next = this.#waiting.shift()) await this.#transcribeOne(next)
  }

  async #transcribeOne({ pcm, at, seconds }: CutUtterance): Promise<void> {
    try {
      const { utterances } = await this.#transcribe(soundOf(asWav(asPcm(pcm), SAMPLE_RATE), seconds), this.#options, this.#stop.signal)
      this.#lost = 0
      const words = utterances
        .flatMap((one) => one.words)
        .map((word) => ({ ...word, text: word.punctuatedWord, start: word.start + at, end: word.end + at }))
      const utterance = toUtterance(words, utterances.map(({ text }) => text).join(' '))
      if (utterance && !this.#isOver) this.#handler.onResult({ ...utterance, final: true })
    } catch (error) {
      const failure = error instanceof SpeechFailed ? error : new SpeechFailed(`${VENDOR} failed.`, { retryable: false, cause: error })
      if (!failure.retryable || ++this.#lost >= MOST_LOST) this.#fail(failure)
    }
  }

  #fail(failure: SpeechFailed): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#stop.abort()
    this.#handler.onFailure(failure)
  }
}

function soundOf(wav: Buffer, seconds: number): AudioFile {
  return { name: 'sound.wav', type: 'audio/wav', bytes: wav.length, seconds, open: () => Readable.from([wav]) }
}
