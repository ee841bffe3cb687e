// Writes packets as a Matroska stream of unknown length, which ffmpeg reads from a pipe or a file.
import { type FileHandle, open } from 'node:fs/promises'
import type { Packet, StreamHead } from '../../kit/matroska-reader.ts'

const CLUSTER_MS = 1_000

// Element ids as in RFC 9559.
const HEADER = Buffer.from('1a45dfa3934282886d6174726f736b614287810442858102', 'hex')
const SEGMENT = Buffer.from('1853806701ffffffffffffff', 'hex')
/** One tick is a millisecond. */
const INFO = Buffer.from('1549a9668f2ad7b1830f42404d80815f5741815f', 'hex')
const CLUSTER = Buffer.from('1f43b67501ffffffffffffffe788', 'hex')

export function streamStart({ tracks }: StreamHead): Buffer {
  return Buffer.concat([HEADER, SEGMENT, INFO, tracks])
}

/** The Tracks element of an H.264 stream. */
export function h264Tracks({ width, height, codecPrivate }: Pick<StreamHead, 'width' | 'height' | 'codecPrivate'>): StreamTracks {
  const size = element('e0', element('b0', twoBytes(width)), element('ba', twoBytes(height)))
  const codec = [element('86', Buffer.from('V_MPEG4/ISO/AVC')), element('63a2', codecPrivate)]
  // Its number, its id, and its type.
  const first = ['d7', '73c5', '83'].map((id) => element(id, Buffer.of(1)))
  return { trackNumber: 1, tracks: element('1654ae6b', element('ae', ...first, ...codec, size)) }
}

type StreamTracks = Pick<StreamHead, 'trackNumber' | 'tracks'>

/** Shifts packet times by `shiftMs` and makes them strictly increasing, as containers require. */
export class StreamWriter {
  readonly #trackNumber: number
  readonly #shiftMs: number
  #clusterMs = Number.NaN
  #lastMs = -1

  constructor({ trackNumber }: StreamHead, shiftMs: number) {
    this.#trackNumber = trackNumber
    this.#shiftMs = shiftMs
  }

  /** In parts, so that the data is not copied. */
  packet({ atMs, key, data }: Packet): readonly Uint8Array[] {
    const ms = Math.max(this.#lastMs + 1, Math.round(atMs + this.#shiftMs))
    this.#lastMs = ms
    const parts: Uint8Array[] = []
    // Negated, because the first comparison is with NaN and must open a cluster.
    if (!(ms >= this.#clusterMs && ms - this.#clusterMs < CLUSTER_MS)) {
      this.#clusterMs = ms
      parts.push(CLUSTER, eightBytes(ms))
    }
    parts.push(blockHead({ bytes: data.byteLength, trackNumber: this.#trackNumber, offsetMs: ms - this.#clusterMs, key }), data)
    return parts
  }
}

/** Writes the packets to a file, without joining them, which would copy a minute of video. */
export async function writeStream(file: string, head: StreamHead, packets: readonly Packet[], shiftMs: number): Promise<void> {
  const writer = new StreamWriter(head, shiftMs)
  const handle = await open(file, 'w', 0o600)
  try {
    await writeParts(handle, [streamStart(head), ...packets.flatMap((packet) => writer.packet(packet))])
  } finally {
    await handle.close()
  }
}

async function writeParts(handle: FileHandle, parts: readonly Uint8Array[]): Promise<void> {
  const { bytesWritten } = await handle.writev(parts)
  const bytes = parts.reduce((sum, { byteLength }) => sum + byteLength, 0)
  // On a full disk only a part is written, without an error. Writing the rest has one.
  if (bytesWritten < bytes) await handle.writeFile(Buffer.concat(parts).subarray(bytesWritten))
}

function element(id: string, ...children: readonly Uint8Array[]): Buffer {
  const body = Buffer.concat(children)
  const size = Buffer.alloc(4)
  size.writeUInt32BE(0x1000_0000 + body.byteLength)
  return Buffer.concat([Buffer.from(id, 'hex'), size, body])
}

function twoBytes(value: number): Buffer {
  const bytes = Buffer.alloc(2)
  bytes.writeUInt16BE(value)
  return bytes
}

function eightBytes(value: number): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64BE(BigInt(value))
  return bytes
}

type BlockHead = { readonly bytes: number; readonly trackNumber: number; readonly offsetMs: number; readonly key: boolean }

function blockHead({ bytes, trackNumber, offsetMs, key }: BlockHead): Buffer {
  const head = Buffer.alloc(13)
  head[0] = 0xa3
  // The size always takes eight bytes, which is simpler and costs little in a temporary stream.
  head.writeBigUInt64BE((1n << 56n) + BigInt(bytes + 4), 1)
  head[9] = 0x80 | trackNumber
  head.writeInt16BE(offsetMs, 10)
  head[12] = key ? 0x80 : 0
  return head
}
