// The live outputs of a meeting: its audio, its words and its captions.
import type { Caption } from '../../domain/meeting.ts'
import type { BotOrders, FromHost } from '../../domain/protocol.ts'
import type { NativeSettings } from '../../domain/speech-providers.ts'
import type { HttpClient } from '../../kit/http-client.ts'
import type { Speech } from '../../speech/registry.ts'
import type { Capture } from '../capture/capture.ts'
import type { MeetingDriver } from '../drivers/driver.ts'
import type { Speaker } from './audio-frame.ts'
import { type LiveAudio, startLiveAudio } from './live-audio.ts'
import { openCaptions, openLiveWords } from './live-transcript.ts'

export type LiveOutputTools = {
  readonly orders: BotOrders
  readonly driver: Pick<MeetingDriver, 'captions'>
  readonly capture: Capture
  readonly http: HttpClient
  readonly now: () => number
  readonly report: (report: FromHost) => void
  /** Reports a failure that does not end the bot. */
  readonly failed: (step: string, message: string, code?: string) => Promise<void>
  readonly speechWith: (weights: NativeSettings) => Speech
}

export type LiveOutputs = {
  /** 960 samples at 48 kHz; the speaker is null while unknown. */
  onAudio(speaker: Speaker | null, pcm: Int16Array, atMs: number): void
  onCaption(caption: Caption): void
  pause(): void
  resume(): void
  /** The recording ends here: later captions are not part of it. */
  stop(): void
  end(): Promise<void>
}

export function openLiveOutputs(tools: LiveOutputTools): LiveOutputs {
  const audioOutputs = [openLiveAudio(tools), openLiveWords(tools)].filter((it) => it !== null)
  const captions = openCaptions(tools)
  const all = captions ? [...audioOutputs, captions] : audioOutputs
  return {
    onAudio(speaker, pcm, atMs) {
      for (const it of audioOutputs) it.onAudio(speaker, pcm, atMs)
    },
    onCaption: (caption) => captions?.onCaption(caption),
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

function openLiveAudio({ orders, capture, failed }: LiveOutputTools): LiveAudio | null {
  const { botId, spec, allowPrivateUrls: allowPrivate } = orders
  if (!spec.liveAudioUrl) return null
  capture.live(true)
  const onProblem = (message: string) => void failed('live audio', message)
  return startLiveAudio({ url: spec.liveAudioUrl, botId, allowPrivate, nowMs: () => capture.nowMs(), onProblem })
}
