// Live words: sends the audio of each speaker to the recogniser and delivers its results at once. A pause stops both.
import type { LiveHandler, LiveResult, LiveStream, SpeechFailed } from '../../speech/provider.ts'
import type { Span } from '../capture/source/speech-detector.ts'
import { NO_SPEAKER, type Speaker } from './audio-frame.ts'
import { Downsampler } from './downsampler.ts'
import { PendingSpeech, ProviderBackoff } from './pending-speech.ts'

export type SpeakerResult = LiveResult & {
  readonly speaker: Speaker
  /** The part that was not in the last result of this utterance. */
  readonly newText: string
}

type LiveWordsOptions = {
  /** Opens a stream to the recogniser for one speaker. */
  readonly open: (handler: LiveHandler) => LiveStream
  readonly onResult: (result: SpeakerResult) => void
  /** The provider failed. Called once, and again only after a result in between. */
  readonly onFailed: (message: string) => void
  /** Speech in this span is not transcribed. */
  readonly onUntranscribed: (span: Span) => void
  /** The clock of `atMs`. */
  readonly nowMs: () => number
}

export type LiveWords = ReturnType<typeof startLiveWords>

/** A second of frames below this level is not sent on: recognisers charge time or money for silence too. */
const SILENT = 64
const SILENT_FRAMES = 50
/** A provider with a retryable failure is tried again after this. */
const RETRY_AFTER_MS = 10_000
/** The caller who removes a bot waits for this, so results that take longer are given up. */
const END_WITHIN_MS = 3_000

export function startLiveWords({ open, onResult, onFailed, onUntranscribed, nowMs }: LiveWordsOptions) {
  const streams = new Map<string, SpeakerStream>()
  const ending = new Map<SpeakerStream, Promise<void>>()
  const backoff = new ProviderBackoff(nowMs, onUntranscribed)
  let isPaused = false
  let resumedMs = Number.NEGATIVE_INFINITY
  let isFailureReported = false

  function begin(speaker: Speaker): SpeakerStream {
    const deliver = (result: SpeakerResult): void => {
      isFailureReported = false
      backoff.report()
      onResult(result)
    }
    const fail = ({ message, retryable }: SpeechFailed): void => {
      streams.delete(speaker.id)
      stream.settle()
      backoff.start(retryable ? RETRY_AFTER_MS : Number.POSITIVE_INFINITY)
      if (!isFailureReported) onFailed(message)
      isFailureReported = true
    }
    const stream = new SpeakerStream(open, speaker, { onResult: deliver, onFailed: fail, onUntranscribed })
    streams.set(speaker.id, stream)
    return stream
  }

  function endAll(): void {
    for (const stream of streams.values())
      ending.set(
        stream,
        stream.end().finally(() => ending.delete(stream)),
      )
    streams.clear()
  }

  return {
    /** 960 samples at 48 kHz; the speaker is null while unknown. */
    onAudio(given: Speaker | null, pcm: Int16Array, atMs: number): void {
      // Frames from before the resume belong to the pause.
      if (isPaused || atMs < resumedMs) return
      const speaker = given ?? NO_SPEAKER
      const silent = isSilent(pcm)
      if (backoff.skips(atMs, silent)) return
      const stream = streams.get(speaker.id) ?? (silent ? null : begin(speaker))
      stream?.onAudio(speaker, { pcm, atMs, silent })
    },
    pause(): void {
      isPaused = true
      endAll()
    },
    resume(): void {
      if (isPaused) resumedMs = nowMs()
      isPaused = false
    },
    /** Resolves when all speech is transcribed, or after a time limit. */
    async end(): Promise<void> {
      isPaused = true
      endAll()
      const late = Promise.withResolvers<void>()
      const timer = setTimeout(late.resolve, END_WITHIN_MS)
      await Promise.race([Promise.all(ending.values()), late.promise])
      clearTimeout(timer)
      for (const stream of ending.keys()) stream.settle()
      backoff.report()
    },
  }
}

type Sound = { readonly pcm: Int16Array; readonly atMs: number; readonly silent: boolean }
type SpeakerStreamEvents = Pick<LiveWordsOptions, 'onResult' | 'onUntranscribed'> & { readonly onFailed: (error: SpeechFailed) => void }

class SpeakerStream {
  readonly #stream: LiveStream
  readonly #events: SpeakerStreamEvents
  readonly #pending = new PendingSpeech()
  readonly #downsampler = new Downsampler()
  /** The last known name of the speaker. */
  #speaker: Speaker
  /** The delivered text of the current utterance. */
  #text = ''
  #silentFrames = 0
  #isOver = false

  constructor(open: LiveWordsOptions['open'], speaker: Speaker, events: SpeakerStreamEvents) {
    this.#speaker = speaker
    this.#events = events
    this.#stream = open({ onResult: (result) => this.#deliver(result), onFailure: (error) => events.onFailed(error) })
  }

  onAudio(speaker: Speaker, { pcm, atMs, silent }: Sound): void {
    this.#speaker = speaker
    this.#silentFrames = silent ? this.#silentFrames + 1 : 0
    if (!silent) this.#pending.onAudio(atMs)
    if (this.#silentFrames <= SILENT_FRAMES) this.#stream.write(this.#downsampler.push(pcm), atMs / 1000)
  }

  end(): Promise<void> {
    return this.#stream.end()
  }

  /** The recogniser failed or is late: its interim result becomes final, and the speech after it is reported as untranscribed. */
  settle(): void {
    const { part, untranscribed } = this.#pending.settle()
    if (part) this.#deliver({ ...part, final: true })
    if (untranscribed) this.#events.onUntranscribed(untranscribed)
    this.#isOver = true
  }

  #deliver(result: LiveResult): void {
    if (this.#isOver) return
    this.#pending.onResult(result)
    const newText = addedTo(this.#text, result.text)
    this.#text = result.final ? '' : result.text
    this.#events.onResult({ ...result, speaker: this.#speaker, newText })
  }
}

function isSilent(pcm: Int16Array): boolean {
  return pcm.every((sample) => Math.abs(sample) < SILENT)
}

/** If the recogniser revised the text before, all of it is new. */
export function addedTo(before: string, now: string): string {
  return before !== '' && now.startsWith(before) ? now.slice(before.length).trim() : now
}
