// The packets of a recorded segment, at their session times.
import { open } from 'node:fs/promises'
import path from 'node:path'
import type { PlannedSegment } from './divided-mix.ts'
import { type Packet, type RecordedFile, readMatroska, type StreamHead } from './matroska-file.ts'
import type { Span } from './span.ts'

export type SegmentSource = Pick<PlannedSegment, 'file' | 'bytes' | 'startMs' | 'codec' | 'within'>

/** More than any description of a track takes. */
const HEAD_BYTES = 16 * 1024

/** Null where the file is lost or was never whole enough to be read: that stretch is then as if nothing had been sent. */
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

/** A container that the page wrote counts from its own beginning; our own files count from the session's. */
function sessionMs({ codec, startMs }: SegmentSource, { atMs }: Packet): number {
  return codec === 'webm' ? startMs + atMs : atMs
}

/** Only what the manifest vouches for: behind it a killed bot may have left anything. */
async function readFrom(folder: string, { file }: SegmentSource, mostBytes: number): Promise<RecordedFile | null> {
  const bytes = Buffer.alloc(mostBytes)
  const handle = await open(path.join(folder, path.basename(file)), 'r').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null
    throw error
  })
  if (!handle) return null
  try {
    const { bytesRead } = await handle.read(bytes, 0, mostBytes, 0)
    return readMatroska(bytes.subarray(0, bytesRead))
  } finally {
    await handle.close()
  }
}
