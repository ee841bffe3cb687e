// Writes the part of a video that one span of the session needs, from the key frame before it, as files that ffmpeg can read.
import type { Packet, StreamHead } from '../../../kit/matroska/reader.ts'
import { writeStream } from '../../../kit/matroska/writer.ts'
import type { PlannedSegment } from '../divided-mix.ts'
import type { Run } from '../plan.ts'
import { readSegment } from '../recorded-segment.ts'
import { overlaps, type Span } from '../span.ts'

/** `startMs` is the time of the first packet. The packets from `shownMs` on are shown: the one on screen when the span begins, and later ones. */
export type Clip = {
  readonly file: string
  readonly startMs: number
  readonly shownMs: number
  readonly packetsMs: readonly number[]
  /** Null: the frames may have several sizes. */
  readonly size: { readonly width: number; readonly height: number } | null
}

/** How far back to look for a key frame. Without a limit the cost of a span would grow with the meeting. */
const LONGEST_LEAD_MS = 120_000
/** The last picture stays visible this long after a run ends. */
const LINGER_MS = 3_000

/** The segments of a span, and the earlier ones that they need for decoding. */
export function segmentsFor(run: Run, span: Span): readonly PlannedSegment[] {
  const lingering = { fromMs: run.startMs, toMs: run.endMs + LINGER_MS }
  if (!overlaps(lingering, span)) return []
  const until = run.segments.filter(({ startMs }) => startMs < span.toMs)
  let first = Math.max(
    0,
    until.findLastIndex(({ startMs }) => startMs <= span.fromMs),
  )
  while (first > 0 && needsEarlier(until[first]) && span.fromMs - (until[first]?.startMs ?? 0) < LONGEST_LEAD_MS) first--
  return until.slice(first)
}

const needsEarlier = (segment: PlannedSegment | undefined): boolean => segment?.continues ?? false

/** One file for each codec, size and parameter set within the span, in order. */
export async function writeClips(recording: string, run: Run, span: Span, target: string): Promise<readonly Clip[]> {
  const clips: Clip[] = []
  let part: Part | null = null
  const finish = async (): Promise<void> => {
    const file = `${target}-${clips.length}.mkv`
    const clip = part && (await writePart(part, span, file))
    // The browser may change the size within a WebM file that it writes itself.
    if (clip) clips.push(run.codec === 'webm' ? { ...clip, size: null } : clip)
  }
  for (const segment of segmentsFor(run, span)) {
    const read = await readSegment(recording, segment)
    if (!read) continue
    if (part && part.head.key !== read.head.key) {
      await finish()
      part = null
    }
    part ??= { head: read.head, packets: [] }
    part.packets = decodable([...part.packets, ...read.packets.filter(({ atMs }) => atMs < span.toMs)], span.fromMs)
  }
  await finish()
  return clips
}

type Part = { readonly head: StreamHead; packets: readonly Packet[] }

/** From the last key frame before the span, or else from the first one within it. */
function decodable(packets: readonly Packet[], fromMs: number): readonly Packet[] {
  const before = packets.findLastIndex(({ key, atMs }) => key && atMs <= fromMs)
  const first = before < 0 ? packets.findIndex(({ key }) => key) : before
  return first < 0 ? [] : packets.slice(first)
}

async function writePart({ head, packets }: Part, span: Span, file: string): Promise<Clip | null> {
  const [first] = packets
  if (!first) return null
  await writeStream(file, head, packets, -first.atMs)
  const shown = packets.findLast(({ atMs }) => atMs <= span.fromMs) ?? first
  const { width, height } = head
  return { file, startMs: first.atMs, shownMs: shown.atMs, packetsMs: packets.map(({ atMs }) => atMs), size: { width, height } }
}
