// The bytes of a live audio frame: 0x01, the speaker's id and name with their lengths, then 20 ms of samples.
import { endianness } from 'node:os'

export type Speaker = { readonly id: string; readonly name: string }

const AUDIO = 0x01
const LONGEST_TEXT_BYTES = 0xffff
const IS_BIG_ENDIAN = endianness() === 'BE'
export const NO_SPEAKER: Speaker = { id: '', name: 'NoSpeaker' }

/** The bytes before the samples, which are the same for all frames of a speaker. */
export function frameHead(speaker: Speaker | null): Buffer {
  const { id, name } = speaker ?? NO_SPEAKER
  return Buffer.concat([Buffer.of(AUDIO), withLength(id), withLength(name)])
}

export function audioFrame(head: Buffer, pcm: Int16Array): Buffer {
  const frame = Buffer.allocUnsafe(head.length + pcm.byteLength)
  head.copy(frame)
  Buffer.from(pcm.buffer, pcm.byteOffset, pcm.byteLength).copy(frame, head.length)
  if (IS_BIG_ENDIAN) frame.subarray(head.length).swap16()
  return frame
}

function withLength(text: string): Buffer {
  const bytes = cut(Buffer.from(text))
  const length = Buffer.alloc(2)
  length.writeUInt16LE(bytes.length)
  return Buffer.concat([length, bytes])
}

/** Cuts between characters: continuation bytes of UTF-8 start with the bits 10. */
function cut(bytes: Buffer): Buffer {
  if (bytes.length <= LONGEST_TEXT_BYTES) return bytes
  let end = LONGEST_TEXT_BYTES
  while (((bytes[end] ?? 0) & 0xc0) === 0x80) end--
  return bytes.subarray(0, end)
}
