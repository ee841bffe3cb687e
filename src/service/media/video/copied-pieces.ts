// Copies pieces of a video from cameras that send what the video has: H.264 in the size of the picture. A file has one list of parameter
// sets, so all copied pieces share theirs, and those of the encoder have another number.
import { readFile } from 'node:fs/promises'
import { type Packet, type RecordedFile, readMatroska, type StreamHead } from '../../../kit/matroska/reader.ts'
import { trackHead, writeStream } from '../../../kit/matroska/writer.ts'
import { cacheKey, makeOnce } from '../file-cache.ts'
import type { MediaPlan } from '../plan.ts'
import { readSegment, type SegmentSource } from '../recorded-segment.ts'
import { OWN_SET } from './encoder.ts'
import { isWellFormed, mergeConfigurations, numbersOf } from './parameter-sets.ts'
import { type Piece, type PiecePlace, runsOf, spanOf } from './pieces.ts'

/** Senders leave this out or set it wrong, see `AS_SENT` in filter-graph.ts. Players would show the picture with too much contrast. */
export const COLOURS_AS_SENT = [
  '-bsf:v',
  'h264_metadata=video_full_range_flag=1:colour_primaries=1:transfer_characteristics=1:matrix_coefficients=1',
]

export type Copies = { readonly head: StreamHead; readonly pieces: ReadonlySet<Piece> }

/** The pieces that can be copied into one file: those with the most frequent parameter sets. Null: there are none. */
export async function copiesIn(recording: string, plan: MediaPlan, pieces: readonly Piece[]): Promise<Copies | null> {
  const byKey = new Map<string, { readonly head: StreamHead; readonly pieces: Set<Piece>; frames: number }>()
  for (const piece of pieces) {
    const head = piece.way === 'copy' ? await headOf(recording, segmentsIn(plan, piece)) : null
    if (!head) continue
    const same = byKey.get(head.key) ?? { head, pieces: new Set(), frames: 0 }
    byKey.set(head.key, same)
    same.pieces.add(piece)
    same.frames += piece.frames
  }
  const [most] = [...byKey.values()].sort((a, b) => b.frames - a.frames)
  return most ?? null
}

/** Null: the segments are damaged, or cannot be copied into one file. */
async function headOf(recording: string, segments: readonly SegmentSource[]): Promise<StreamHead | null> {
  let common: StreamHead | null = null
  for (const segment of segments) {
    const read = await readSegment(recording, segment)
    const head = read?.packets.every(({ data }) => isWellFormed(data)) ? read.head : null
    const continues = common ? common.key === head?.key : (read?.packets[0]?.key ?? false)
    if (!head || !continues || numbersOf(head.codecPrivate).includes(OWN_SET)) return null
    common = head
  }
  return common
}

/** The segments that begin within the piece. The first one begins with its key frame. */
function segmentsIn(plan: MediaPlan, { scene, fps, firstFrame, frames }: Piece): readonly SegmentSource[] {
  const frameOf = (ms: number) => Math.round((ms * fps) / 1000)
  const isIn = ({ startMs }: SegmentSource) => frameOf(startMs) >= firstFrame && frameOf(startMs) < firstFrame + frames
  return scene.tiles.flatMap((tile) => runsOf(plan, tile).flatMap(({ segments }) => segments.filter(isIn)))
}

/** Makes an H.264 file in Matroska, with the frames as they were sent. */
export async function copyPiece({ recording, folder, plan, piece }: PiecePlace, head: StreamHead): Promise<string> {
  const segments = segmentsIn(plan, piece)
  const key = cacheKey('copy', piece, segments)
  const { file } = await makeOnce({ folder, name: `copy-${key}.mkv`, key }, async (temporary) => {
    const { fromMs, toMs } = spanOf(piece)
    const packets: Packet[] = []
    for (const segment of segments) packets.push(...((await readSegment(recording, segment))?.packets ?? []))
    // The file has whole milliseconds, and the next piece must begin later than the last frame.
    const shown = packets.filter(({ atMs }) => atMs < toMs - 1)
    // The piece begins with the nearest frame of the video.
    const [first, ...later] = shown
    await writeStream(temporary, head, [...(first ? [{ ...first, atMs: fromMs }] : []), ...later], -fromMs)
    return {}
  })
  return file
}

export type BothKinds = { readonly encoded: string; readonly copied: string }

/** Writes the first piece again with the parameter sets of both kinds, because a player takes those of the first piece for all. */
export async function withBothSets(first: string, { encoded, copied }: BothKinds, target: string): Promise<void> {
  const { head, packets } = await readPiece(first)
  // The profile is that of the first set. The encoder has the higher one.
  const codecPrivate = mergeConfigurations((await readPiece(encoded)).head.codecPrivate, (await readPiece(copied)).head.codecPrivate)
  await writeStream(target, trackHead({ ...head, codecPrivate }), packets, 0)
}

async function readPiece(file: string): Promise<RecordedFile> {
  const read = readMatroska(await readFile(file))
  if (!read) throw new Error('A piece of the video cannot be read.')
  return read
}
