// Live words: everybody's voice goes to the recogniser as it comes, and what is heard goes out at once. Paused means no words.
import type { LiveEar, LiveHeard, LiveStream, SpeechFailed } from '../../speech/provider.ts'
import type { Speaker } from './audio-frame.ts'
import { Downsampler } from './downsampler.ts'

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

export function startLiveWords({ open, onHeard, onFailed, nowMs }: LiveWordsOptions): LiveWords {
  const voices = new Map<string, Voice>()
  const ending = new Set<Promise<void>>()
  let isPaused = false
  let resumedMs = Number.NEGATIVE_INFINITY
  let restsUntilMs = Number.NEGATIVE_INFINITY
  let isTold = false

  function begin(speaker: Speaker): Voice {
    const told = (heard: Heard): void => {
      isTold = false
      onHeard(heard)
    }
    const failed = ({ message, passing }: SpeechFailed): void => {
      voices.delete(speaker.id)
      restsUntilMs = passing ? nowMs() + REST_MS : Number.POSITIVE_INFINITY
      if (!isTold) onFailed(message)
      isTold = true
    }
    const voice = new Voice(open, speaker, { told, failed })
    voices.set(speaker.id, voice)
    return voice
  }

  function endAll(): void {
    for (const voice of voices.values()) {
      const over = voice.end().finally(() => ending.delete(over))
      ending.add(over)
    }
    voices.clear()
  }

  return {
    hear(given, pcm, atMs) {
      // What was under way when recording stopped or went on belongs to the pause.
      if (isPaused || atMs < resumedMs || nowMs() < restsUntilMs) return
      const speaker = given ?? NOBODY
      const silent = isSilent(pcm)
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
      await Promise.race([Promise.all(ending), late.promise])
      clearTimeout(timer)
    },
  }
}

type Sound = { readonly pcm: Int16Array; readonly atMs: number; readonly silent: boolean }
type VoiceEar = { told(heard: Heard): void; failed(error: SpeechFailed): void }

class Voice {
  readonly #stream: LiveStream
  readonly #downsampler = new Downsampler()
  /** Who was last known to speak. */
  #speaker: Speaker
  /** What of the utterance under way has been told. */
  #text = ''
  #silentFrames = 0

  constructor(open: LiveWordsOptions['open'], speaker: Speaker, ear: VoiceEar) {
    this.#speaker = speaker
    this.#stream = open({
      heard: (heard) => {
        const newText = addedTo(this.#text, heard.text)
        this.#text = heard.final ? '' : heard.text
        ear.told({ ...heard, speaker: this.#speaker, newText })
      },
      failed: (error) => ear.failed(error),
    })
  }

  hear(speaker: Speaker, { pcm, atMs, silent }: Sound): void {
    this.#speaker = speaker
    this.#silentFrames = silent ? this.#silentFrames + 1 : 0
    if (this.#silentFrames <= SILENT_FRAMES) this.#stream.write(this.#downsampler.push(pcm), atMs / 1000)
  }

  end(): Promise<void> {
    return this.#stream.end()
  }
}

function isSilent(pcm: Int16Array): boolean {
  return pcm.every((sample) => Math.abs(sample) < SILENT)
}

/** A recogniser may change its mind about what it has said before; then all of it is new. */
export function addedTo(before: string, now: string): string {
  return before !== '' && now.startsWith(before) ? now.slice(before.length).trim() : now
}
