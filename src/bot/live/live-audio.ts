// Live audio to the caller's socket: one stream per speaker, which carries silence during a pause.
import { openSocket } from '../../kit/reconnecting-socket.ts'
import { audioFrame, frameHead, type Speaker } from './audio-frame.ts'
import { FRAME_MS, FRAME_SAMPLES, SAMPLES_PER_MS } from './frame-cutter.ts'
import { SilenceClock } from './silence-clock.ts'

type LiveAudioOptions = {
  readonly url: string
  readonly botId: string
  readonly allowPrivate: boolean
  /** The clock of `atMs`. */
  readonly nowMs: () => number
  readonly onProblem: (message: string) => void
}

export type LiveAudio = ReturnType<typeof startLiveAudio>

/** A speaker whose last audio is this recent is streaming: a silent microphone sends a packet every 400 ms. */
const STREAMING_MS = 1_000
const SILENCE = new Int16Array(FRAME_SAMPLES)
const FORMAT = { encoding: 'pcm_s16le', sample_rate: SAMPLES_PER_MS * 1_000, channels: 1, frame_ms: FRAME_MS }

type SpeakerStream = { readonly name: string; readonly head: Buffer; lastAudioMs: number }
type Pause = { readonly clock: SilenceClock; readonly heads: readonly Buffer[]; readonly timer: NodeJS.Timeout }

export function startLiveAudio({ botId, nowMs, ...options }: LiveAudioOptions) {
  const hello = () => JSON.stringify({ type: 'ready', bot_id: botId, ...FORMAT })
  const socket = openSocket({ ...options, hello, frameMs: FRAME_MS })
  const streams = new Map<string, SpeakerStream>()
  let paused: Pause | null = null
  let resumedMs = Number.NEGATIVE_INFINITY

  function streamOf(speaker: Speaker | null): SpeakerStream {
    const key = speaker ? `speaker ${speaker.id}` : 'unknown'
    const known = streams.get(key)
    if (known && known.name === (speaker?.name ?? '')) return known
    const stream = { name: speaker?.name ?? '', head: frameHead(speaker), lastAudioMs: Number.NEGATIVE_INFINITY }
    streams.set(key, stream)
    return stream
  }

  function sendSilence({ clock, heads }: Pick<Pause, 'clock' | 'heads'>): void {
    for (let count = clock.due(nowMs()); count > 0; count--) {
      for (const head of heads) socket.send(audioFrame(head, SILENCE))
    }
  }

  return {
    /** 960 samples at 48 kHz; the speaker is null while unknown. */
    onAudio(speaker: Speaker | null, pcm: Int16Array, atMs: number): void {
      // Frames from before the resume belong to the pause.
      if (paused || atMs < resumedMs) return
      const stream = streamOf(speaker)
      stream.lastAudioMs = nowMs()
      socket.send(audioFrame(stream.head, pcm))
    },
    pause(): void {
      if (paused) return
      const startMs = nowMs()
      const heads = [...streams.values()].filter(({ lastAudioMs }) => startMs - lastAudioMs < STREAMING_MS).map(({ head }) => head)
      const silence = { clock: new SilenceClock(startMs, FRAME_MS), heads }
      paused = { ...silence, timer: setInterval(() => sendSilence(silence), FRAME_MS) }
    },
    resume(): void {
      if (!paused) return
      clearInterval(paused.timer)
      sendSilence(paused)
      paused = null
      resumedMs = nowMs()
    },
    /** Bytes that the network has not accepted yet. */
    waitingBytes: () => socket.waitingBytes(),
    async end(): Promise<void> {
      clearInterval(paused?.timer)
      await socket.end()
    },
  }
}
