// Converts samples to PCM bytes and to a WAV file.
import { endianness } from 'node:os'

const IS_BIG_ENDIAN = endianness() === 'BE'
const HEADER_BYTES = 44

export function asPcm(parts: readonly Int16Array[]): Buffer {
  const bytes = Buffer.concat(parts.map((part) => new Uint8Array(part.buffer, part.byteOffset, part.byteLength)))
  return IS_BIG_ENDIAN ? bytes.swap16() : bytes
}

/** 16-bit mono. */
export function asWav(pcm: Uint8Array, sampleRate: number): Buffer {
  const header = Buffer.alloc(HEADER_BYTES)
  header.write('RIFF', 0)
  header.writeUInt32LE(HEADER_BYTES - 8 + pcm.length, 4)
  header.write('WAVEfmt ', 8)
  header.writeUInt32LE(16, 16)
  header.writeUInt16LE(1, 20)
  header.writeUInt16LE(1, 22)
  header.writeUInt32LE(sampleRate, 24)
  header.writeUInt32LE(sampleRate * 2, 28)
  header.writeUInt16LE(2, 32)
  header.writeUInt16LE(16, 34)
  header.write('data', 36)
  header.writeUInt32LE(pcm.length, 40)
  return Buffer.concat([header, pcm])
}
