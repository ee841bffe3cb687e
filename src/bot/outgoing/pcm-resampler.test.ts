import { expect, test } from 'vitest'
import { PAGE_RATE, PcmResampler } from './pcm-resampler.ts'

function sine(hertz: number, seconds: number, sampleRate: number, channels = 1): Buffer {
  const frames = Math.round(seconds * sampleRate)
  const pcm = Buffer.alloc(frames * channels * 2)
  for (let index = 0; index < frames * channels; index++) {
    const frame = Math.floor(index / channels)
    pcm.writeInt16LE(Math.round(10_000 * Math.sin((2 * Math.PI * hertz * frame) / sampleRate)), index * 2)
  }
  return pcm
}

function inChunks(pcm: Buffer, size: number, format: { sampleRate: number; channels: number }): Buffer {
  const resampler = new PcmResampler(format)
  const chunks = Array.from({ length: Math.ceil(pcm.length / size) }, (_, index) => pcm.subarray(index * size, (index + 1) * size))
  return Buffer.concat(chunks.map((chunk) => resampler.convert(chunk)))
}

/** The largest deviation from the best-fitting tone, relative to its amplitude. */
function worstError(pcm: Buffer, hertz: number): number {
  const samples = Array.from({ length: pcm.length / 2 }, (_, index) => pcm.readInt16LE(index * 2)).slice(100, -100)
  const angle = (2 * Math.PI * hertz) / PAGE_RATE
  let [cosine, sinus] = [0, 0]
  for (const [index, sample] of samples.entries()) {
    cosine += (2 * sample * Math.cos(angle * index)) / samples.length
    sinus += (2 * sample * Math.sin(angle * index)) / samples.length
  }
  const errors = samples.map((sample, index) => Math.abs(sample - cosine * Math.cos(angle * index) - sinus * Math.sin(angle * index)))
  return Math.max(...errors) / Math.hypot(cosine, sinus)
}

test.each([
  [8_000, 1],
  [16_000, 1],
  [16_000, 2],
  [22_050, 1],
  [24_000, 1],
  [44_100, 2],
  [48_000, 1],
  [48_000, 2],
  [96_000, 2],
])('converts %i Hz with %i channels to one continuous tone', (sampleRate, channels) => {
  const pcm = sine(500, 0.1, sampleRate, channels)
  for (const size of [7, 641, 4_000, pcm.length]) {
    const given = inChunks(pcm, size, { sampleRate, channels })
    expect(Math.abs(given.length / 2 - PAGE_RATE / 10)).toBeLessThan(16)
    expect(worstError(given, 500)).toBeLessThan(0.02)
  }
})

test('gives the same result for any chunk size', () => {
  const format = { sampleRate: 22_050, channels: 2 }
  const pcm = sine(700, 0.1, 22_050, 2)
  const whole = inChunks(pcm, pcm.length, format)
  for (const size of [1, 3, 1_000, 5_001]) expect(inChunks(pcm, size, format).equals(whole)).toBe(true)
})

test('averages two channels, and clips instead of wrapping', () => {
  const loudest = Buffer.from('ff7fff7fff7f01800080008000800080', 'hex')
  const given = new PcmResampler({ sampleRate: 48_000, channels: 2 }).convert(loudest)
  expect([0, 2, 4, 6].map((at) => given.readInt16LE(at))).toEqual([32_767, 0, -32_768, -32_768])
})

test.each([
  [{ sampleRate: 7_999, channels: 1 }, 'sampleRate must be from 8000 to 192000, not 7999.'],
  [{ sampleRate: Number.NaN, channels: 1 }, 'sampleRate must be from 8000 to 192000, not NaN.'],
  [{ sampleRate: 48_000, channels: 3 }, 'channels must be 1 or 2, not 3.'],
])('rejects %o', (format, message) => {
  expect(() => new PcmResampler(format)).toThrow(message)
})
