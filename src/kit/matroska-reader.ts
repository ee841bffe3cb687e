// Reads the packets of one track of a Matroska or WebM file, up to the first incomplete element.

export type Packet = { readonly atMs: number; readonly key: boolean; readonly data: Uint8Array }

/** The decoder configuration. Packets of files with the same `key` can be concatenated. */
export type StreamHead = {
  readonly key: string
  readonly codec: string
  readonly width: number
  readonly height: number
  readonly trackNumber: number
  readonly codecPrivate: Uint8Array
  /** The raw Tracks element. */
  readonly tracks: Uint8Array
}

export type RecordedFile = { readonly head: StreamHead; readonly packets: readonly Packet[] }

/** `end` is the number of bytes up to its end. */
type Element = { readonly id: number; readonly body: Uint8Array; readonly whole: Uint8Array; readonly end: number }

// Element ids as in RFC 9559.
const SEGMENT = 0x18538067
const CLUSTER = 0x1f43b675
const TRACKS = 0x1654ae6b
const TRACK_ENTRY = 0xae
const TRACK_NUMBER = 0xd7
const CODEC_ID = 0x86
const CODEC_PRIVATE = 0x63a2
const VIDEO = 0xe0
const WIDTH = 0xb0
const HEIGHT = 0xba
const CLUSTER_TIME = 0xe7
const SIMPLE_BLOCK = 0xa3
const BLOCK_GROUP = 0xa0
const BLOCK = 0xa1
const REFERENCE = 0xfb
/** Their children are read directly, so an unknown size does not matter. */
const ENTERED: ReadonlySet<number> = new Set([SEGMENT, CLUSTER])

/** Null: the Tracks element is missing or incomplete. Times are relative to the file. */
export function readMatroska(bytes: Uint8Array): RecordedFile | null {
  const reader = new MatroskaReader()
  const packets = reader.push(bytes)
  return reader.head && { head: reader.head, packets }
}

/** Reads a file in parts of any length. */
export class MatroskaReader {
  /** Null until the Tracks element is complete. */
  head: StreamHead | null = null
  #clusterMs = 0
  #rest: Uint8Array = new Uint8Array()

  /** Returns the packets that this part completes. */
  push(part: Uint8Array): readonly Packet[] {
    const bytes = this.#rest.length > 0 ? Buffer.concat([this.#rest, part]) : part
    const packets: Packet[] = []
    let read = 0
    for (const element of elements(bytes)) {
      read = element.end
      if (element.id === TRACKS) this.head ??= headOf(element)
      if (element.id === CLUSTER_TIME) this.#clusterMs = unsigned(element.body)
      const packet = packetOf(element, this.#clusterMs)
      if (packet && packet.trackNumber === this.head?.trackNumber) packets.push(packet)
    }
    this.#rest = bytes.subarray(read)
    return packets
  }
}

function* elements(bytes: Uint8Array): Generator<Element> {
  let at = 0
  while (at < bytes.length) {
    const id = idAt(bytes, at)
    const size = id && sizeAt(bytes, at + id.width)
    if (!id || !size) return
    const bodyAt = at + id.width + size.width
    if (ENTERED.has(id.value)) {
      at = bodyAt
      continue
    }
    const end = bodyAt + size.value
    if (end > bytes.length) return
    yield { id: id.value, body: bytes.subarray(bodyAt, end), whole: bytes.subarray(at, end), end }
    at = end
  }
}

type Read = { readonly value: number; readonly width: number }

/** EBML: the leading zero bits of the first byte give the length. An id keeps the marker bit, a size does not. */
function idAt(bytes: Uint8Array, at: number): Read | null {
  const width = Math.clz32(bytes[at] ?? 0) - 23
  return width > 4 || at + width > bytes.length ? null : { value: unsigned(bytes.subarray(at, at + width)), width }
}

function sizeAt(bytes: Uint8Array, at: number): Read | null {
  const width = Math.clz32(bytes[at] ?? 0) - 23
  if (width > 8 || at + width > bytes.length) return null
  const marked = (bytes[at] ?? 0) & (0xff >> width)
  return { value: marked * 256 ** (width - 1) + unsigned(bytes.subarray(at + 1, at + width)), width }
}

function unsigned(bytes: Uint8Array): number {
  return bytes.reduce((value, byte) => value * 256 + byte, 0)
}

function headOf(tracks: Element): StreamHead | null {
  const entry = childOf(tracks.body, TRACK_ENTRY)
  if (!entry) return null
  const video = childOf(entry, VIDEO) ?? new Uint8Array()
  const codec = Buffer.from(childOf(entry, CODEC_ID) ?? []).toString('latin1')
  const numberOf = (parent: Uint8Array, id: number) => unsigned(childOf(parent, id) ?? new Uint8Array())
  const [width, height, trackNumber] = [numberOf(video, WIDTH), numberOf(video, HEIGHT), numberOf(entry, TRACK_NUMBER)]
  const codecPrivate = childOf(entry, CODEC_PRIVATE) ?? new Uint8Array()
  const key = [codec, width, height, Buffer.from(codecPrivate).toString('hex')].join(' ')
  return { key, codec, width, height, trackNumber, codecPrivate, tracks: tracks.whole }
}

function childOf(body: Uint8Array, id: number): Uint8Array | null {
  for (const element of elements(body)) if (element.id === id) return element.body
  return null
}

function packetOf({ id, body }: Element, clusterMs: number): (Packet & { readonly trackNumber: number }) | null {
  if (id === SIMPLE_BLOCK) return blockOf(body, clusterMs, ((body[3] ?? 0) & 0x80) !== 0)
  if (id !== BLOCK_GROUP) return null
  const block = childOf(body, BLOCK)
  return block && blockOf(block, clusterMs, childOf(body, REFERENCE) === null)
}

/** Assumes a track number below 127, which takes one byte: a recorded file has one track. */
function blockOf(block: Uint8Array, clusterMs: number, key: boolean): (Packet & { readonly trackNumber: number }) | null {
  if (block.length < 4) return null
  const offsetMs = Buffer.from(block.buffer, block.byteOffset, block.length).readInt16BE(1)
  return { trackNumber: (block[0] ?? 0) & 0x7f, atMs: clusterMs + offsetMs, key, data: block.subarray(4) }
}
