// Decodes a Matroska or WebM file with Opus audio at the rate of the engines, each packet at its time.
import { createReadStream } from 'node:fs'
import { MatroskaReader } from '../../kit/matroska/reader.ts'
import { OpusPacketDecoder } from '../../kit/opus-decoder.ts'
import { joined, SAMPLES_PER_SECOND } from './samples.ts'

const OPUS = 'A_OPUS'
const SAMPLES_PER_MS = SAMPLES_PER_SECOND / 1000
/** The container's head is much shorter. */
const HEAD_BYTES = 65_536
const PART_BYTES = 65_536
/** Smaller differences between a packet's time and the end of the one before are jitter. A sender that is muted sends nothing. */
const HOLE = 100 * SAMPLES_PER_MS
const SILENCE = new Float32Array(SAMPLES_PER_SECOND)

/** False also for a file that cannot be read: ffmpeg then names the reason. */
export async function isOpusFile(file: string): Promise<boolean> {
  const reader = new MatroskaReader()
  try {
    for await (const part of createReadStream(file, { end: HEAD_BYTES - 1 })) reader.push(part)
  } catch {
    return false
  }
  return reader.head?.codec === OPUS
}

/** Holes are filled with silence, so that the following audio keeps its time. */
export async function* decodedOpus(file: string, signal: AbortSignal): AsyncGenerator<Float32Array> {
  const decoder = new OpusPacketDecoder(SAMPLES_PER_SECOND)
  const reader = new MatroskaReader()
  let end = 0
  try {
    for await (const part of createReadStream(file, { highWaterMark: PART_BYTES, signal })) {
      const blocks: Float32Array[] = []
      for (const packet of reader.push(part)) {
        await decoder.load()
        const samples = decoder.decode(packet.data)
        if (!samples) continue
        const placed = placedAt(Math.round(packet.atMs * SAMPLES_PER_MS) - end, samples)
        blocks.push(placed.samples)
        end += placed.silence + placed.samples.length
        // A hole may last for most of the meeting.
        if (placed.silence > 0) yield* [joined(blocks.splice(0, blocks.length - 1)), ...silence(placed.silence)]
      }
      yield joined(blocks)
    }
  } finally {
    decoder.free()
  }
}

/** `off`: how much later the packet is than the end of the one before. */
function placedAt(off: number, samples: Float32Array): { readonly silence: number; readonly samples: Float32Array } {
  if (off > HOLE) return { silence: off, samples }
  return { silence: 0, samples: off < -HOLE ? samples.subarray(-off) : samples }
}

function* silence(length: number): Generator<Float32Array> {
  for (let left = length; left > 0; left -= SILENCE.length) yield SILENCE.subarray(0, left)
}
