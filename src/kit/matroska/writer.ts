// Writes the packets of one track as a Matroska file of unknown length. No byte is ever patched, so a pipe can carry it, and a file
// truncated behind its first cluster is readable.
import { type FileHandle, open } from 'node:fs/promises'
import { doubleElement, element, ID, openElement, sizeOf, textElement, unsignedElement } from './elements.ts'
import type { Packet, StreamHead } from './reader.ts'

type Track = {
  /** The codec's name in Matroska. */
  readonly codec: string
  readonly codecPrivate: Uint8Array | null
} & ({ readonly width: number; readonly height: number } | { readonly rate: number; readonly channels: number })

type TrackHead = Pick<StreamHead, 'trackNumber' | 'tracks'>

const CLUSTER_MS = 1_000
const ONE_MS_IN_NS = 1_000_000
const VIDEO = 1
const AUDIO = 2
const CLUSTER = openElement(ID.cluster)

/** The Tracks element of a file with one track. */
export function trackHead(track: Track): TrackHead {
  const { codec, codecPrivate } = track
  const entry = element(
    ID.trackEntry,
    unsignedElement(ID.trackNumber, 1),
    unsignedElement(ID.trackUid, 1),
    unsignedElement(ID.lacing, 0),
    textElement(ID.codec, codec),
    unsignedElement(ID.trackType, 'width' in track ? VIDEO : AUDIO),
    ...(codecPrivate ? [element(ID.codecPrivate, codecPrivate)] : []),
    'width' in track
      ? element(ID.video, unsignedElement(ID.width, track.width), unsignedElement(ID.height, track.height))
      : element(ID.audio, doubleElement(ID.samplingFrequency, track.rate), unsignedElement(ID.channels, track.channels)),
  )
  return { trackNumber: 1, tracks: element(ID.tracks, entry) }
}

/** The bytes before the first packet. */
export function streamStart({ tracks }: TrackHead): Buffer {
  const ebml = [ID.version, ID.readVersion].map((id) => unsignedElement(id, 1))
  const lengths = [unsignedElement(ID.maxIdLength, 4), unsignedElement(ID.maxSizeLength, 8)]
  const kind = [textElement(ID.docType, 'matroska'), unsignedElement(ID.docTypeVersion, 4), unsignedElement(ID.docTypeReadVersion, 2)]
  const programs = [ID.muxingApp, ID.writingApp].map((id) => textElement(id, 'emissary'))
  return Buffer.concat([
    element(ID.header, ...ebml, ...lengths, ...kind),
    openElement(ID.segment),
    element(ID.info, unsignedElement(ID.timestampScale, ONE_MS_IN_NS), ...programs),
    tracks,
  ])
}

/** Puts packets into clusters. Their times are whole milliseconds and in order. */
export class PacketWriter {
  readonly #trackNumber: number
  #clusterMs = Number.NaN

  constructor({ trackNumber }: TrackHead) {
    this.#trackNumber = trackNumber
  }

  /** In parts, so that the data is not copied. */
  packet({ atMs, key, data }: Packet): readonly Uint8Array[] {
    const parts: Uint8Array[] = []
    // Negated, because the first comparison is with NaN and must open a cluster.
    if (!(atMs >= this.#clusterMs && atMs - this.#clusterMs < CLUSTER_MS)) {
      this.#clusterMs = atMs
      parts.push(CLUSTER, unsignedElement(ID.clusterTime, atMs))
    }
    const head = Buffer.from([0x80 | this.#trackNumber, 0, 0, key ? 0x80 : 0])
    head.writeInt16BE(atMs - this.#clusterMs, 1)
    parts.push(Buffer.concat([Buffer.of(ID.simpleBlock), sizeOf(head.length + data.byteLength), head]), data)
    return parts
  }
}

/** Shifts packet times by `shiftMs` and makes them strictly increasing, as other containers require. */
export class StreamWriter {
  readonly #writer: PacketWriter
  readonly #shiftMs: number
  #lastMs = -1

  constructor(head: TrackHead, shiftMs: number) {
    this.#writer = new PacketWriter(head)
    this.#shiftMs = shiftMs
  }

  packet({ atMs, key, data }: Packet): readonly Uint8Array[] {
    this.#lastMs = Math.max(this.#lastMs + 1, Math.round(atMs + this.#shiftMs))
    return this.#writer.packet({ atMs: this.#lastMs, key, data })
  }
}

/** Writes the shifted packets to a file, without joining them, which would copy a minute of video. */
export async function writeStream(file: string, head: TrackHead, packets: readonly Packet[], shiftMs: number): Promise<void> {
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
  // On a full disk `writev` writes a part and does not fail. Writing the rest throws ENOSPC.
  if (bytesWritten < bytes) await handle.writeFile(Buffer.concat(parts).subarray(bytesWritten))
}
