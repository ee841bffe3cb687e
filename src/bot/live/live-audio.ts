// Live audio to the caller's socket: one stream per speaker, and nothing but silence while paused.
import type { Lookup } from '../../kit/outgoing-guard.ts'
import { audioFrame, frameHead, type Speaker } from './audio-frame.ts'
import { FRAME_MS, FRAME_SAMPLES, SAMPLES_PER_MS } from './cutter.ts'
import { SilenceClock } from './silence.ts'
import { openSocket } from './socket.ts'

type LiveAudioOptions = {
  readonly url: string
  readonly botId: string
  readonly allowPrivate: boolean
  /** The clock of `atMs`. */
  readonly nowMs: () => number
  readonly onProblem: (message: string) => void
  readonly lookup?: Lookup
}

export type LiveAudio = {
  /** 960 samples; null where nobody knows who speaks. */
  hear(speaker: Speaker | null, pcm: Int16Array, atMs: number): void
  pause(): void
  resume(): void
  /** Bytes that the network has not taken yet. */
  waitingBytes(): number
  end(): Promise<void>
}

/** Whoever was heard this long ago is still streaming: a silent microphone sends a packet every 400 ms. */
const STREAMING_MS = 1_000
const SILENCE = new Int16Array(FRAME_SAMPLES)
const FORMAT = { encoding: 'pcm_s16le', sample_rate: SAMPLES_PER_MS * 1_000, channels: 1, frame_ms: FRAME_MS }

type Voice = { readonly name: string; readonly head: Buffer; heardMs: number }
type Pause = { readonly clock: SilenceClock; readonly heads: readonly Buffer[]; readonly timer: NodeJS.Timeout }

export function startLiveAudio({ botId, nowMs, ...options }: LiveAudioOptions): LiveAudio {
  const hello = () => JSON.stringify({ type: 'ready', bot_id: botId, ...FORMAT })
  const socket = openSocket({ ...options, hello, frameMs: FRAME_MS })
  const voices = new Map<string, Voice>()
  let paused: Pause | null = null
  let resumedMs = Number.NEGATIVE_INFINITY

  function voiceOf(speaker: Speaker | null): Voice {
    const key = speaker ? `speaker ${speaker.id}` : 'nobody'
    const known = voices.get(key)
    if (known && known.name === (speaker?.name ?? '')) return known
    const voice = { name: speaker?.name ?? '', head: frameHead(speaker), heardMs: Number.NEGATIVE_INFINITY }
    voices.set(key, voice)
    return voice
  }

  function fallSilent({ clock, heads }: Pick<Pause, 'clock' | 'heads'>): void {
    for (let count = clock.due(nowMs()); count > 0; count--) {
      for (const head of heads) socket.send(audioFrame(head, SILENCE))
    }
  }

  return {
    hear(speaker, pcm, atMs) {
      // What was under way when recording stopped or went on belongs to the pause.
      if (paused || atMs < resumedMs) return
      const voice = voiceOf(speaker)
      voice.heardMs = nowMs()
      socket.send(audioFrame(voice.head, pcm))
    },
    pause() {
      if (paused) return
      const startMs = nowMs()
      const heads = [...voices.values()].filter(({ heardMs }) => startMs - heardMs < STREAMING_MS).map(({ head }) => head)
      const silence = { clock: new SilenceClock(startMs, FRAME_MS), heads }
      paused = { ...silence, timer: setInterval(() => fallSilent(silence), FRAME_MS) }
    },
    resume() {
      if (!paused) return
      clearInterval(paused.timer)
      fallSilent(paused)
      paused = null
      resumedMs = nowMs()
    },
    waitingBytes: () => socket.waitingBytes(),
    async end() {
      clearInterval(paused?.timer)
      await socket.end()
    },
  }
}
