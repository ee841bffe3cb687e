// The mixed audio of everybody: made by a process of its own, so that decoding never holds up the service.
import { fileURLToPath } from 'node:url'
import { runProcess } from '../../kit/process.ts'
import { limitFor, NICE, probe, type Workshop } from './ffmpeg.ts'
import { finished, keyOf, type MediaFile } from './finished.ts'
import type { MixProcessOrder } from './mix-process.ts'
import type { MixSegment } from './mixer.ts'
import { type MediaPlan, runsOf } from './plan.ts'

export type MixedAudio = MediaFile & {
  /** Zero says that nothing was heard at all. */
  readonly heardSeconds: number
}

export type MixAudioOrder = { readonly recording: string; readonly output: string; readonly plan: MediaPlan }

const VERSION = 1
const PROCESS = fileURLToPath(new URL('mix-process.ts', import.meta.url))

/** `mixed.m4a` as long as the session, each voice at its time, pauses and gaps silent. */
export async function mixAudio(workshop: Workshop, { recording, output, plan }: MixAudioOrder): Promise<MixedAudio> {
  const { totalMs } = plan
  const segments = segmentsOf(plan)
  const place = { folder: output, name: 'mixed.m4a', key: keyOf(VERSION, totalMs, segments) }
  return finished(place, async (temporary) => {
    const order: MixProcessOrder = { recording, totalMs, segments, temporary, threads: workshop.threads, limitMs: limitFor(totalMs) }
    const answer = await runProcess({
      program: process.execPath,
      args: [PROCESS],
      limitMs: limitFor(totalMs),
      nice: NICE,
      signal: workshop.signal,
      input: once(JSON.stringify(order)),
    })
    const { durationMs } = await probe(workshop, temporary)
    return {
      contentType: 'audio/mp4',
      startMs: 0,
      durationMs,
      width: null,
      height: null,
      fps: null,
      codec: 'aac',
      sampleRate: 48_000,
      channels: 1,
      heardSeconds: Number(answer),
    }
  })
}

function segmentsOf(plan: MediaPlan): readonly MixSegment[] {
  return runsOf(plan, 'audio')
    .flatMap(({ run: { trackId, segments } }) =>
      segments.map(({ file, bytes, startMs, endMs, codec, within }, index) => ({
        ...{ trackId, file, bytes, startMs, endMs, codec, ...(within && { within }) },
        nextMs: segments[index + 1]?.startMs ?? null,
      })),
    )
    .sort((a, b) => a.startMs - b.startMs)
}

async function* once(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text)
}
