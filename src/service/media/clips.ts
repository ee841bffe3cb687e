// The part of somebody's video that a stretch of the session needs, from the key frame it hangs on, as files that ffmpeg can read.
import { open } from 'node:fs/promises'
import path from 'node:path'
import type { PlannedSegment } from './divided-mix.ts'
import type { Packet, StreamHead } from './matroska-file.ts'
import { StreamWriter, streamStart } from './matroska-stream.ts'
import type { Run } from './plan.ts'
import { readSegment } from './recorded-segment.ts'
import { overlaps, type Span } from './span.ts'

/** The first packet of the file stands at `startMs`; the one to be shown when the stretch begins at `shownMs`. */
export type Clip = { readonly file: string; readonly startMs: number; readonly shownMs: number }

/** A sender that gives no key frame for longer than this shows nothing until it does: what a stretch costs must not grow with the meeting. */
const LONGEST_LEAD_MS = 120_000
/** A picture stays while nothing new comes, also where another run goes on. */
const LINGER_MS = 3_000

/** The segments in which a stretch of video lies, and what they hang on. */
export function segmentsFor(run: Run, span: Span): readonly PlannedSegment[] {
  const lingering = { fromMs: run.startMs, toMs: run.endMs + LINGER_MS }
  if (!overlaps(lingering, span)) return []
  const until = run.segments.filter(({ startMs }) => startMs < span.toMs)
  let first = Math.max(
    0,
    until.findLastIndex(({ startMs }) => startMs <= span.fromMs),
  )
  while (first > 0 && hangs(until[first]) && span.fromMs - (until[first]?.startMs ?? 0) < LONGEST_LEAD_MS) first--
  return until.slice(first)
}

const hangs = (segment: PlannedSegment | undefined): boolean => segment?.continues ?? false

/** One file for each codec, size and parameter set that the stretch goes through, in their order. */
export async function writeClips(recording: string, run: Run, span: Span, target: string): Promise<readonly Clip[]> {
  const clips: Clip[] = []
  let part: Part | null = null
  const finish = async (): Promise<void> => {
    const file = `${target}-${clips.length}.mkv`
    const clip = part && (await writePart(part, span, file))
    if (clip) clips.push(clip)
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

/** From the last key frame that comes before the stretch, or the first one in it. */
function decodable(packets: readonly Packet[], fromMs: number): readonly Packet[] {
  const before = packets.findLastIndex(({ key, atMs }) => key && atMs <= fromMs)
  const first = before < 0 ? packets.findIndex(({ key }) => key) : before
  return first < 0 ? [] : packets.slice(first)
}

async function writePart({ head, packets }: Part, span: Span, file: string): Promise<Clip | null> {
  const [first] = packets
  if (!first) return null
  const writer = new StreamWriter(head, -first.atMs)
  const handle = await open(path.resolve(file), 'w', 0o600)
  try {
    await handle.writeFile(Buffer.concat([streamStart(head), ...packets.map((packet) => writer.packet(packet))]))
  } finally {
    await handle.close()
  }
  const shown = packets.findLast(({ atMs }) => atMs <= span.fromMs) ?? first
  return { file, startMs: first.atMs, shownMs: shown.atMs }
}
