import { beforeEach, expect, test } from 'vitest'
import { tonePackets } from '../../test/helpers/media/live-opus.ts'
import { OpusPacketDecoder, openLibrary } from './opus-decoder.ts'

const library = { opened: 0, freed: 0 }

const openCounted: typeof openLibrary = (sampleRate) => {
  const decoder = openLibrary(sampleRate)
  library.opened++
  const { free } = decoder
  decoder.free = () => {
    library.freed++
    free()
  }
  return decoder
}

beforeEach(() => void Object.assign(library, { opened: 0, freed: 0 }))

const [PACKET = new Uint8Array()] = tonePackets({ toneHz: 440, seconds: 1 })
/** The library throws for anything but bytes. */
const THROWS = Array.from(PACKET) as unknown as Uint8Array

test.each([16_000, 48_000] as const)('decodes to %d samples a second', async (rate) => {
  const decoder = new OpusPacketDecoder(rate, openCounted)
  await decoder.load()
  expect(decoder.decode(PACKET)).toHaveLength(rate / 50)
  decoder.free()
  expect(library).toEqual({ opened: 1, freed: 1 })
})

test('frees and replaces a decoder that throws', async () => {
  const decoder = new OpusPacketDecoder(48_000, openCounted)
  await decoder.load()
  expect(decoder.decode(THROWS)).toBeNull()
  expect(library).toEqual({ opened: 2, freed: 1 })
  await decoder.load()
  expect(decoder.decode(PACKET)).toHaveLength(960)
  decoder.free()
  expect(library).toEqual({ opened: 2, freed: 2 })
})

test('frees a decoder that is still loading', async () => {
  const decoder = new OpusPacketDecoder(48_000, openCounted)
  const loading = decoder.load()
  decoder.free()
  await loading
  expect(decoder.decode(PACKET)).toBeNull()
  expect(library).toEqual({ opened: 1, freed: 1 })
})

test('returns null for packets that do not fit into the library', async () => {
  const decoder = new OpusPacketDecoder(48_000, openCounted)
  await decoder.load()
  expect([0, 3_841].map((length) => decoder.decode(new Uint8Array(length)))).toEqual([null, null])
  expect(decoder.decode(PACKET)).toHaveLength(960)
  decoder.free()
  expect(library).toEqual({ opened: 1, freed: 1 })
})
