// Live words: everybody's voice goes to the recogniser as it comes, and what is heard goes out at once. Paused means no words.
import type { LiveEar, LiveHeard, LiveStream, SpeechFailed } from '../../speech/provider.ts'
import type { Speaker } from './audio-frame.ts'
import { Downsampler } from './downsampler.ts'
import { Rest, type Unheard, Unsettled } from './unsettled.ts'

export type Heard = LiveHeard & {
  readonly speaker: Speaker
  /** What was not in the last news of this utterance. */
  readonly newText: string
}

type LiveWordsOptions = {
  /** A stream to the recogniser, for one voice. */
  readonly open: (ear: LiveEar) => LiveStream
  readonly onHeard: (heard: Heard) => void
  /** The provider failed. Said once, and again only when words have come in between. */
  readonly onFailed: (message: string) => void
  /** Speech in this span gets no words. */
  readonly onUnheard: (span: Unheard) => void
  /** The clock of `atMs`. */
  readonly nowMs: () => number
}

export type LiveWords = {
  /** 960 samples at 48 kHz; null where nobody knows who speaks. */
  hear(speaker: Speaker | null, pcm: Int16Array, atMs: number): void
  pause(): void
  resume(): void
  /** Settles once what was said has been heard, or could not be in time. */
  end(): Promise<void>
}

export const NOBODY: Speaker = { id: '', name: 'NoSpeaker' }
/** A microphone that hears nothing is not listened to after a moment: recognisers take time or money for silence, too. */
const SILENT = 64
const SILENT_FRAMES = 50
/** A provider that failed and may do better is asked again after this. */
const REST_MS = 10_000
/** Whoever asks a bot to leave waits for it: a recogniser that is behind by then has heard its last. */
const END_WITHIN_MS = 3_000

export function startLiveWords({ open, onHeard, onFailed, onUnheard, nowMs }: LiveWordsOptions): LiveWords {
  const voices = new Map<string, Voice>()
  const ending = new Map<Voice, Promise<void>>()
  const rest = new Rest(nowMs, onUnheard)
  let isPaused = false
  let resumedMs = Number.NEGATIVE_INFINITY
  let isTold = false

  function begin(speaker: Speaker): Voice {
    const told = (heard: Heard): void => {
      isTold = false
      rest.tellUnheard()
      onHeard(heard)
    }
    const failed = ({ message, passing }: SpeechFailed): void => {
      voices.delete(speaker.id)
      voice.settle()
      rest.begin(passing ? REST_MS : Number.POSITIVE_INFINITY)
      if (!isTold) onFailed(message)
      isTold = true
    }
    const voice = new Voice(open, speaker, { told, failed, unheard: onUnheard })
    voices.set(speaker.id, voice)
    return voice
  }

  function endAll(): void {
    for (const voice of voices.values())
      ending.set(
        voice,
        voice.end().finally(() => ending.delete(voice)),
      )
    voices.clear()
  }

  return {
    hear(given, pcm, atMs) {
      // What was under way when recording stopped or went on belongs to the pause.
      if (isPaused || atMs < resumedMs) return
      const speaker = given ?? NOBODY
      const silent = isSilent(pcm)
      if (rest.misses(atMs, silent)) return
      const voice = voices.get(speaker.id) ?? (silent ? null : begin(speaker))
      voice?.hear(speaker, { pcm, atMs, silent })
    },
    pause() {
      isPaused = true
      endAll()
    },
    resume() {
      if (isPaused) resumedMs = nowMs()
      isPaused = false
    },
    async end() {
      isPaused = true
      endAll()
      const late = Promise.withResolvers<void>()
      const timer = setTimeout(late.resolve, END_WITHIN_MS)
      await Promise.race([Promise.all(ending.values()), late.promise])
      clearTimeout(timer)
      for (const voice of ending.keys()) voice.settle()
      rest.tellUnheard()
    },
  }
}

type Sound = { readonly pcm: Int16Array; readonly atMs: number; readonly silent: boolean }
type VoiceEar = { told(heard: Heard): void; failed(error: SpeechFailed): void; unheard(span: Unheard): void }

class Voice {
  readonly #stream: LiveStream
  readonly #ear: VoiceEar
  readonly #unsettled = new Unsettled()
  readonly #downsampler = new Downsampler()
  /** Who was last known to speak. */
  #speaker: Speaker
  /** What of the utterance under way has been told. */
  #text = ''
  #silentFrames = 0
  #isOver = false

  constructor(open: LiveWordsOptions['open'], speaker: Speaker, ear: VoiceEar) {
    this.#speaker = speaker
    this.#ear = ear
    this.#stream = open({ heard: (heard) => this.#tell(heard), failed: (error) => ear.failed(error) })
  }

  hear(speaker: Speaker, { pcm, atMs, silent }: Sound): void {
    this.#speaker = speaker
    this.#silentFrames = silent ? this.#silentFrames + 1 : 0
    if (!silent) this.#unsettled.sounded(atMs)
    if (this.#silentFrames <= SILENT_FRAMES) this.#stream.write(this.#downsampler.push(pcm), atMs / 1000)
  }

  end(): Promise<void> {
    return this.#stream.end()
  }

  /** The recogniser is gone or late: what it delivered in part is final, and the rest is counted. */
  settle(): void {
    const { part, unheard } = this.#unsettled.settle()
    if (part) this.#tell({ ...part, final: true })
    if (unheard) this.#ear.unheard(unheard)
    this.#isOver = true
  }

  #tell(heard: LiveHeard): void {
    if (this.#isOver) return
    this.#unsettled.heard(heard)
    const newText = addedTo(this.#text, heard.text)
    this.#text = heard.final ? '' : heard.text
    this.#ear.told({ ...heard, speaker: this.#speaker, newText })
  }
}

function isSilent(pcm: Int16Array): boolean {
  return pcm.every((sample) => Math.abs(sample) < SILENT)
}

/** A recogniser may change its mind about what it has said before; then all of it is new. */
export function addedTo(before: string, now: string): string {
  return before !== '' && now.startsWith(before) ? now.slice(before.length).trim() : now
}
