// Everybody who follows a meeting while it runs: who listens to its sound, and who reads its words.
import type { Caption } from '../../domain/meeting.ts'
import type { BotOrders, FromHost } from '../../domain/protocol.ts'
import type { NativeSettings } from '../../domain/speech-providers.ts'
import type { Outgoing } from '../../kit/outgoing.ts'
import type { Speech } from '../../speech/registry.ts'
import type { Capture } from '../capture/capture.ts'
import type { MeetingDriver } from '../drivers/driver.ts'
import type { Speaker } from './audio-frame.ts'
import { type LiveAudio, startLiveAudio } from './live-audio.ts'
import { openCaptions, openLiveWords } from './spoken-out.ts'

export type ListenerTools = {
  readonly orders: BotOrders
  readonly driver: Pick<MeetingDriver, 'captions'>
  readonly capture: Capture
  readonly outgoing: Outgoing
  readonly now: () => number
  readonly report: (report: FromHost) => void
  /** Something the meeting goes on without. */
  readonly failed: (step: string, message: string, code?: string) => Promise<void>
  readonly speechWith: (weights: NativeSettings) => Speech
}

export type Listeners = {
  /** 960 samples at 48 kHz; null where nobody knows who speaks. */
  hear(speaker: Speaker | null, pcm: Int16Array, atMs: number): void
  see(caption: Caption): void
  pause(): void
  resume(): void
  /** The recording ends here: what the meeting writes from now on is not in it. */
  stop(): void
  end(): Promise<void>
}

export function openListeners(tools: ListenerTools): Listeners {
  const ears = [openLiveAudio(tools), openLiveWords(tools)].filter((it) => it !== null)
  const captions = openCaptions(tools)
  const all = captions ? [...ears, captions] : ears
  return {
    hear(speaker, pcm, atMs) {
      for (const it of ears) it.hear(speaker, pcm, atMs)
    },
    see: (caption) => captions?.see(caption),
    pause() {
      for (const it of all) it.pause()
    },
    resume() {
      for (const it of all) it.resume()
    },
    stop: () => captions?.pause(),
    async end() {
      await Promise.all(all.map((it) => it.end()))
    },
  }
}

function openLiveAudio({ orders, capture, failed }: ListenerTools): LiveAudio | null {
  const { botId, spec, allowPrivateUrls: allowPrivate } = orders
  if (!spec.liveAudioUrl) return null
  capture.live(true)
  const onProblem = (message: string) => void failed('live audio', message)
  return startLiveAudio({ url: spec.liveAudioUrl, botId, allowPrivate, nowMs: () => capture.nowMs(), onProblem })
}
