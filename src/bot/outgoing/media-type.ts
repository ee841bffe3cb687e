// Detects the type of a media file, and the size of a picture, from its bytes: a server's content-type may be wrong.

export type Picture = { readonly type: PictureType; readonly width: number; readonly height: number }
type PictureType = 'image/png' | 'image/jpeg' | 'image/webp' | 'image/gif'
export type ClipType = 'audio/wav' | 'audio/mpeg' | 'audio/ogg' | 'audio/mp4' | 'audio/flac'

type Size = readonly [width: number, height: number]
type Kind<Type> = { readonly type: Type; readonly is: (bytes: Buffer) => boolean }

const contains = (bytes: Buffer, at: number, text: string) => bytes.toString('latin1', at, at + text.length) === text

const PICTURES: readonly (Kind<PictureType> & { readonly size: (bytes: Buffer) => Size | null })[] = [
  { type: 'image/png', is: (it) => contains(it, 0, '\x89PNG\r\n\x1a\n') && contains(it, 12, 'IHDR'), size: pngSize },
  { type: 'image/jpeg', is: (it) => contains(it, 0, '\xff\xd8\xff'), size: jpegSize },
  { type: 'image/webp', is: (it) => contains(it, 0, 'RIFF') && contains(it, 8, 'WEBP'), size: webpSize },
  { type: 'image/gif', is: (it) => contains(it, 0, 'GIF87a') || contains(it, 0, 'GIF89a'), size: gifSize },
]

const CLIPS: readonly Kind<ClipType>[] = [
  { type: 'audio/wav', is: (it) => contains(it, 0, 'RIFF') && contains(it, 8, 'WAVE') },
  { type: 'audio/ogg', is: (it) => contains(it, 0, 'OggS') },
  { type: 'audio/mp4', is: (it) => contains(it, 4, 'ftyp') },
  { type: 'audio/flac', is: (it) => contains(it, 0, 'fLaC') },
  // Without an ID3 tag an MP3 starts with a frame header: eleven bits set.
  { type: 'audio/mpeg', is: (it) => contains(it, 0, 'ID3') || (it[0] === 0xff && ((it[1] ?? 0) & 0xe0) === 0xe0) },
]

/** Null if the type is unknown, or the bytes end before the size. */
export function pictureOf(bytes: Buffer): Picture | null {
  const kind = PICTURES.find(({ is }) => is(bytes))
  const [width, height] = kind ? (sizeWithin(bytes, kind.size) ?? [0, 0]) : [0, 0]
  return kind && width > 0 && height > 0 ? { type: kind.type, width, height } : null
}

export function clipTypeOf(bytes: Buffer): ClipType | null {
  return CLIPS.find(({ is }) => is(bytes))?.type ?? null
}

function sizeWithin(bytes: Buffer, size: (bytes: Buffer) => Size | null): Size | null {
  try {
    return size(bytes)
  } catch (error) {
    if (error instanceof RangeError) return null // The file is truncated.
    throw error
  }
}

function pngSize(bytes: Buffer): Size {
  return [bytes.readUInt32BE(16), bytes.readUInt32BE(20)]
}

/** The size follows the first start-of-frame marker, which C4, C8 and CC are not. */
function jpegSize(bytes: Buffer): Size | null {
  let at = 2
  while (bytes.readUInt8(at) === 0xff) {
    const marker = bytes.readUInt8(at + 1)
    if (marker === 0xff) at += 1
    else if (marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker))
      return [bytes.readUInt16BE(at + 7), bytes.readUInt16BE(at + 5)]
    else at += 2 + bytes.readUInt16BE(at + 2)
  }
  return null
}

const WEBP_SIZES: Readonly<Record<string, (bytes: Buffer) => Size>> = {
  'VP8 ': (bytes) => [bytes.readUInt16LE(26) & 0x3fff, bytes.readUInt16LE(28) & 0x3fff],
  VP8L: (bytes) => [(bytes.readUInt32LE(21) & 0x3fff) + 1, ((bytes.readUInt32LE(21) >> 14) & 0x3fff) + 1],
  VP8X: (bytes) => [bytes.readUIntLE(24, 3) + 1, bytes.readUIntLE(27, 3) + 1],
}

function webpSize(bytes: Buffer): Size | null {
  return WEBP_SIZES[bytes.toString('latin1', 12, 16)]?.(bytes) ?? null
}

/** Browsers enlarge a GIF whose first image exceeds the logical screen. */
function gifSize(bytes: Buffer): Size | null {
  const screen: Size = [bytes.readUInt16LE(6), bytes.readUInt16LE(8)]
  let at = 13 + colourTableBytes(bytes.readUInt8(10))
  while (bytes.readUInt8(at) === 0x21) {
    at += 2
    while (bytes.readUInt8(at) !== 0) at += 1 + bytes.readUInt8(at)
    at += 1
  }
  if (bytes.readUInt8(at) !== 0x2c) return null
  const image: Size = [bytes.readUInt16LE(at + 1) + bytes.readUInt16LE(at + 5), bytes.readUInt16LE(at + 3) + bytes.readUInt16LE(at + 7)]
  return [Math.max(screen[0], image[0]), Math.max(screen[1], image[1])]
}

function colourTableBytes(flags: number): number {
  return flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0
}
