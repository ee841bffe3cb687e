// Makes the mixed audio of all participants in a child process, so that decoding does not block the service.
import { fileURLToPath } from 'node:url'
import { runProcess } from '../../../kit/process.ts'
import { type FfmpegOptions, limitFor, NICE, probe } from '../ffmpeg.ts'
import { cacheKey, type MediaFile, makeOnce } from '../file-cache.ts'
import { type MediaPlan, runsOf } from '../plan.ts'
import type { MixSegment } from './mixer.ts'
import type { MixProcessOrder } from './mixer-process.ts'

export type MixedAudio = MediaFile & {
  /** Seconds with audible sound; 0 means that the whole recording is silent. */
  readonly audibleSeconds: number
}

export type MixAudioOrder = { readonly recording: string; readonly output: string; readonly plan: MediaPlan }

const VERSION = 2
/** Facts of mixed audio in any format. */
export const MIXED = { startMs: 0, width: null, height: null, fps: null, sampleRate: 48_000, channels: 1 } as const
const PROCESS = fileURLToPath(new URL('mixer-process.ts', import.meta.url))

/** Makes `mixed.m4a` with the length of the session. Pauses and gaps are silent. */
export async function mixAudio(ffmpegOptions: FfmpegOptions, { recording, output, plan }: MixAudioOrder): Promise<MixedAudio> {
  const { totalMs } = plan
  const segments = segmentsOf(plan)
  const place = { folder: output, name: 'mixed.m4a', key: cacheKey(VERSION, totalMs, segments) }
  return makeOnce(place, async (temporary) => {
    const order: MixProcessOrder = { recording, totalMs, segments, temporary, limitMs: limitFor(totalMs) }
    const answer = await runProcess({
      program: process.execPath,
      args: [PROCESS],
      limitMs: limitFor(totalMs),
      nice: NICE,
      signal: ffmpegOptions.signal,
      input: [Buffer.from(JSON.stringify(order))],
    })
    const { durationMs } = await probe(ffmpegOptions, temporary)
    return { ...MIXED, contentType: 'audio/mp4', codec: 'aac', durationMs, audibleSeconds: Number(answer) }
  })
}

function segmentsOf(plan: MediaPlan): readonly MixSegment[] {
  return runsOf(plan, 'audio')
    .flatMap(({ run: { trackId, segments } }) =>
      segments.map(({ file, bytes, startMs, endMs, codec, within }, index) => ({
        trackId,
        file,
        bytes,
        startMs,
        endMs,
        codec,
        ...(within && { within }),
        nextMs: segments[index + 1]?.startMs ?? null,
      })),
    )
    .sort((a, b) => a.startMs - b.startMs)
}
