// Reads the packets of a recorded segment with their session times.
import { open } from 'node:fs/promises'
import path from 'node:path'
import { type Packet, type RecordedFile, readMatroska, type StreamHead } from '../../kit/matroska/reader.ts'
import { unless } from '../../kit/system-errors.ts'
import type { PlannedSegment } from './divided-mix.ts'
import type { Span } from './span.ts'

export type SegmentSource = Pick<PlannedSegment, 'file' | 'bytes' | 'startMs' | 'codec' | 'within'>

/** More than the header of any recorded file takes. */
const HEAD_BYTES = 16 * 1024

/** Null: the file is missing or too incomplete to read. Its time is then treated as if nothing had been sent. */
export async function readSegment(folder: string, segment: SegmentSource): Promise<RecordedFile | null> {
  const read = await readFrom(folder, segment, segment.bytes)
  if (!read) return null
  const packets = read.packets.map((packet) => ({ ...packet, atMs: sessionMs(segment, packet) }))
  return { ...read, packets: segment.within ? packets.filter(isWithin(segment.within)) : packets }
}

const isWithin =
  ({ fromMs, toMs }: Span) =>
  ({ atMs }: Packet) =>
    atMs >= fromMs && atMs < toMs

export async function readHead(folder: string, segment: SegmentSource): Promise<StreamHead | null> {
  return (await readFrom(folder, segment, Math.min(segment.bytes, HEAD_BYTES)))?.head ?? null
}

/** A WebM file that the page wrote starts at zero; our own files use session time. */
function sessionMs({ codec, startMs }: SegmentSource, { atMs }: Packet): number {
  return codec === 'webm' ? startMs + atMs : atMs
}

/** Reads only the bytes that the manifest lists: a killed bot may leave incomplete data after them. */
async function readFrom(folder: string, { file }: SegmentSource, mostBytes: number): Promise<RecordedFile | null> {
  const bytes = Buffer.allocUnsafe(mostBytes)
  const handle = await open(path.join(folder, path.basename(file)), 'r').catch(unless('ENOENT'))
  if (!handle) return null
  try {
    const { bytesRead } = await handle.read(bytes, 0, mostBytes, 0)
    return readMatroska(bytes.subarray(0, bytesRead))
  } finally {
    await handle.close()
  }
}
