// The elements of a Matroska file: their ids (RFC 9559) and the EBML encoding of ids, sizes and values (RFC 8794).

export const ID = {
  header: 0x1a45dfa3,
  version: 0x4286,
  readVersion: 0x42f7,
  maxIdLength: 0x42f2,
  maxSizeLength: 0x42f3,
  docType: 0x4282,
  docTypeVersion: 0x4287,
  docTypeReadVersion: 0x4285,
  segment: 0x18538067,
  info: 0x1549a966,
  timestampScale: 0x2ad7b1,
  muxingApp: 0x4d80,
  writingApp: 0x5741,
  tracks: 0x1654ae6b,
  trackEntry: 0xae,
  trackNumber: 0xd7,
  trackUid: 0x73c5,
  trackType: 0x83,
  lacing: 0x9c,
  codec: 0x86,
  codecPrivate: 0x63a2,
  video: 0xe0,
  width: 0xb0,
  height: 0xba,
  audio: 0xe1,
  samplingFrequency: 0xb5,
  channels: 0x9f,
  cluster: 0x1f43b675,
  clusterTime: 0xe7,
  simpleBlock: 0xa3,
  blockGroup: 0xa0,
  block: 0xa1,
  reference: 0xfb,
} as const

/** An element of unknown size ends at its next sibling or at the end of the file. */
const UNKNOWN_SIZE = Buffer.from([0x01, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff])

export function element(id: number, ...parts: readonly Uint8Array[]): Buffer {
  const body = Buffer.concat(parts)
  return Buffer.concat([bigEndian(id), sizeOf(body.length), body])
}

/** The start of an element whose children follow. */
export function openElement(id: number): Buffer {
  return Buffer.concat([bigEndian(id), UNKNOWN_SIZE])
}

export function unsignedElement(id: number, value: number): Buffer {
  return element(id, bigEndian(value))
}

export function textElement(id: number, value: string): Buffer {
  return element(id, Buffer.from(value))
}

export function doubleElement(id: number, value: number): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeDoubleBE(value)
  return element(id, bytes)
}

/** In as few bytes as possible. The leading one-bit gives the width. All ones means unknown, so each width stops one short. */
export function sizeOf(length: number): Buffer {
  let width = 1
  while (length >= 2 ** (7 * width) - 1) width++
  const bytes = Buffer.alloc(width)
  bytes.writeUIntBE(length, 0, width)
  bytes[0] = (bytes[0] ?? 0) | (0x80 >> (width - 1))
  return bytes
}

function bigEndian(value: number): Buffer {
  const bytes: number[] = []
  let rest = value
  do {
    bytes.unshift(rest % 256)
    rest = Math.floor(rest / 256)
  } while (rest > 0)
  return Buffer.from(bytes)
}

type Read = { readonly value: number; readonly width: number }

/** The leading zero bits of the first byte give the width. An id keeps the marker bit, a size does not. Null: it is incomplete. */
export function idAt(bytes: Uint8Array, at: number): Read | null {
  const width = Math.clz32(bytes[at] ?? 0) - 23
  return width > 4 || at + width > bytes.length ? null : { value: readUnsigned(bytes.subarray(at, at + width)), width }
}

export function sizeAt(bytes: Uint8Array, at: number): Read | null {
  const width = Math.clz32(bytes[at] ?? 0) - 23
  if (width > 8 || at + width > bytes.length) return null
  const marked = (bytes[at] ?? 0) & (0xff >> width)
  return { value: marked * 256 ** (width - 1) + readUnsigned(bytes.subarray(at + 1, at + width)), width }
}

export function readUnsigned(bytes: Uint8Array): number {
  return bytes.reduce((value, byte) => value * 256 + byte, 0)
}
