// Reads the packets of one track of a Matroska or WebM file, up to the first incomplete element.
import { ID, idAt, readUnsigned, sizeAt } from './elements.ts'

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

/** Their children are read directly, so an unknown size does not matter. */
const ENTERED: ReadonlySet<number> = new Set([ID.segment, ID.cluster])

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
      if (element.id === ID.tracks) this.head ??= headOf(element)
      if (element.id === ID.clusterTime) this.#clusterMs = readUnsigned(element.body)
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

function headOf(tracks: Element): StreamHead | null {
  const entry = childOf(tracks.body, ID.trackEntry)
  if (!entry) return null
  const video = childOf(entry, ID.video) ?? new Uint8Array()
  const codec = Buffer.from(childOf(entry, ID.codec) ?? []).toString('latin1')
  const numberOf = (parent: Uint8Array, id: number) => readUnsigned(childOf(parent, id) ?? new Uint8Array())
  const [width, height, trackNumber] = [numberOf(video, ID.width), numberOf(video, ID.height), numberOf(entry, ID.trackNumber)]
  const codecPrivate = childOf(entry, ID.codecPrivate) ?? new Uint8Array()
  const key = [codec, width, height, Buffer.from(codecPrivate).toString('hex')].join(' ')
  return { key, codec, width, height, trackNumber, codecPrivate, tracks: tracks.whole }
}

function childOf(body: Uint8Array, id: number): Uint8Array | null {
  for (const element of elements(body)) if (element.id === id) return element.body
  return null
}

function packetOf({ id, body }: Element, clusterMs: number): (Packet & { readonly trackNumber: number }) | null {
  if (id === ID.simpleBlock) return blockOf(body, clusterMs, ((body[3] ?? 0) & 0x80) !== 0)
  if (id !== ID.blockGroup) return null
  const block = childOf(body, ID.block)
  return block && blockOf(block, clusterMs, childOf(body, ID.reference) === null)
}

/** Assumes a track number below 127, which takes one byte: a recorded file has one track. */
function blockOf(block: Uint8Array, clusterMs: number, key: boolean): (Packet & { readonly trackNumber: number }) | null {
  if (block.length < 4) return null
  const offsetMs = Buffer.from(block.buffer, block.byteOffset, block.length).readInt16BE(1)
  return { trackNumber: (block[0] ?? 0) & 0x7f, atMs: clusterMs + offsetMs, key, data: block.subarray(4) }
}
