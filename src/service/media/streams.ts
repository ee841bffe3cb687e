// Makes one file per participant and run, by stream copy without encoding.
import type { TrackKind } from '../../domain/recording.ts'
import type { StreamHead } from '../../kit/matroska/reader.ts'
import { StreamWriter, streamStart } from '../../kit/matroska/writer.ts'
import type { PlannedSegment } from './divided-mix.ts'
import { type FfmpegOptions, ffmpeg, limitFor } from './ffmpeg.ts'
import { cacheKey, type MediaFile, makeOnce } from './file-cache.ts'
import { type MediaPlan, type Run, runsOf } from './plan.ts'
import { readHead, readSegment } from './recorded-segment.ts'

export type StreamFile = MediaFile & { readonly participantId: string; readonly participantName: string; readonly kind: TrackKind }

type Container = { readonly format: string; readonly contentType: string; readonly codec: string; readonly options: readonly string[] }

/**
 * Opus goes into WebM and not into Ogg: a muted participant sends nothing, and only a container with a timestamp on every packet keeps
 * the following audio at its time. H.264 goes into MP4, which every player supports.
 */
const CONTAINERS: Readonly<Record<string, Container>> = {
  A_OPUS: { format: 'webm', contentType: 'audio/webm', codec: 'opus', options: [] },
  V_VP8: { format: 'webm', contentType: 'video/webm', codec: 'vp8', options: [] },
  V_VP9: { format: 'webm', contentType: 'video/webm', codec: 'vp9', options: [] },
  V_AV1: { format: 'webm', contentType: 'video/webm', codec: 'av1', options: [] },
  'V_MPEG4/ISO/AVC': { format: 'mp4', contentType: 'video/mp4', codec: 'h264', options: ['-movflags', '+faststart'] },
}
const VERSION = 1

export type StreamsOrder = {
  readonly recording: string
  readonly output: string
  readonly plan: MediaPlan
  readonly kinds: readonly TrackKind[]
}

/** Sorted by kind and start. A run without a key frame makes no file. */
export async function makeStreams(
  ffmpegOptions: FfmpegOptions,
  { recording, output, plan, kinds }: StreamsOrder,
): Promise<readonly StreamFile[]> {
  const files: StreamFile[] = []
  for (const kind of kinds) {
    for (const { participant, run } of runsOf(plan, kind)) {
      for (const part of await partsOf(recording, run)) {
        const file = await copyPart(ffmpegOptions, { recording, output, kind, trackId: run.trackId, ...part })
        files.push({ participantId: participant.id, participantName: participant.name, kind, ...file })
      }
    }
  }
  return files
}

export type Part = { readonly head: StreamHead; readonly container: Container; readonly segments: readonly PlannedSegment[] }

/** Splits a run where the codec configuration changes: a new parameter set starts a new file, even at the same size. */
export async function partsOf(recording: string, { segments }: Pick<Run, 'segments'>): Promise<readonly Part[]> {
  const parts: { head: StreamHead; container: Container; segments: PlannedSegment[] }[] = []
  for (const segment of segments) {
    const last = parts.at(-1)
    const head = await readHead(recording, segment)
    const container = head && CONTAINERS[head.codec]
    if (!container) continue
    if (last?.head.key === head.key) last.segments.push(segment)
    // Packets before the first key frame cannot be decoded.
    else if (await hasKeyFrame(recording, segment)) parts.push({ head, container, segments: [segment] })
  }
  return parts
}

async function hasKeyFrame(recording: string, segment: PlannedSegment): Promise<boolean> {
  return (await readSegment(recording, segment))?.packets.some(({ key }) => key) ?? false
}

type Copy = Part & { readonly recording: string; readonly output: string; readonly kind: TrackKind; readonly trackId: string }

async function copyPart(ffmpegOptions: FfmpegOptions, copy: Copy): Promise<MediaFile> {
  const { head, container, segments, kind } = copy
  const [first, last] = [segments[0], segments.at(-1)]
  const name = `${kind}-${copy.trackId}-${String(first?.index ?? 0).padStart(5, '0')}.${container.format}`
  const place = { folder: copy.output, name, key: cacheKey(VERSION, head.key, segments) }
  return makeOnce(place, async (temporary) => {
    const seen = { startMs: first?.startMs ?? 0, packets: 0 }
    const endMs = last?.endMs ?? seen.startMs
    const args = ['-f', 'matroska', '-i', 'pipe:0', '-map', '0:0', '-c', 'copy', ...container.options, '-f', container.format, temporary]
    await ffmpeg(ffmpegOptions, { args, limitMs: limitFor(endMs - seen.startMs), input: packetsOf(copy, seen) })
    return { ...shapeOf(copy, seen.packets, endMs - seen.startMs), startMs: seen.startMs }
  })
}

function shapeOf({ head, container, kind }: Copy, packets: number, lengthMs: number): Omit<MediaFile, 'file' | 'bytes' | 'startMs'> {
  const { contentType, codec } = container
  const durationMs = Math.max(1, lengthMs)
  const plain = { contentType, codec, durationMs }
  if (kind === 'audio') return { ...plain, width: null, height: null, fps: null, sampleRate: 48_000, channels: 2 }
  const fps = Math.round((packets * 100_000) / durationMs) / 100
  return { ...plain, width: head.width, height: head.height, fps, sampleRate: null, channels: null }
}

/** The file starts at zero with the first key frame. `seen` receives its session time and the number of packets. */
export async function* packetsOf(
  { recording, head, segments }: Part & { readonly recording: string },
  seen: { startMs: number; packets: number },
): AsyncGenerator<Uint8Array> {
  let writer: StreamWriter | null = null
  for (const segment of segments) {
    const read = await readSegment(recording, segment)
    const bytes: Uint8Array[] = []
    for (const packet of read?.packets ?? []) {
      if (!writer && !packet.key) continue
      if (!writer) {
        seen.startMs = packet.atMs
        writer = new StreamWriter(head, -packet.atMs)
        bytes.push(streamStart(head))
      }
      seen.packets++
      bytes.push(...writer.packet(packet))
    }
    yield Buffer.concat(bytes)
  }
}
