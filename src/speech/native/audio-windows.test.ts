import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { WindowCutter, windowsOfFile } from './audio-windows.ts'

const run = promisify(execFile)
const NEVER = new AbortController().signal
let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'emissary-sound-'))
})
afterAll(() => rm(folder, { recursive: true }))

async function all(windows: AsyncIterable<readonly Float32Array[]>): Promise<Float32Array> {
  const kept: number[] = []
  for await (const some of windows) kept.push(...some.flatMap((window) => [...window]))
  return Float32Array.from(kept)
}

test.each(['tone.wav', 'tone.m4a', 'tone.webm'])('decodes %s as 16 kHz mono', async (name) => {
  const file = path.join(folder, name)
  await run('ffmpeg', ['-v', 'error', '-f', 'lavfi', '-i', 'sine=frequency=440:sample_rate=44100:duration=2', '-ac', '2', file])
  const samples = await all(windowsOfFile(file, NEVER))
  expect(samples.length % 512).toBe(0)
  expect(Math.abs(samples.length / 16_000 - 2)).toBeLessThan(0.1)
  const middle = samples.slice(8_000, 24_000)
  const crossings = middle.filter((sample, at) => sample >= 0 && (middle[at - 1] ?? 0) < 0).length
  expect(Math.abs(crossings - 440)).toBeLessThan(3)
})

test('keeps the time of audio after a hole in a WebM file, and treats a malformed packet as missing', async () => {
  const [whole, file] = ['whole.webm', 'hole.webm'].map((name) => path.join(folder, name)) as [string, string]
  const tone = 'sine=frequency=440:sample_rate=48000:duration=9'
  await run('ffmpeg', ['-v', 'error', '-f', 'lavfi', '-i', tone, '-c:a', 'libopus', whole])
  // Drops packets of four seconds, and damages others in the last second.
  const drop = "noise=drop='between(pts*tb,2,6)':amount='if(gt(pts*tb,8),-100,-1e9)'"
  await run('ffmpeg', ['-v', 'error', '-i', whole, '-c', 'copy', '-bsf:a', drop, file])
  const samples = await all(windowsOfFile(file, NEVER))
  const isLoud = (from: number, to: number) => samples.slice(from * 16_000, to * 16_000).some((sample) => Math.abs(sample) > 0.01)
  expect(isLoud(1.8, 1.95)).toBe(true)
  expect(isLoud(2.1, 5.95)).toBe(false)
  expect(isLoud(6.05, 6.2)).toBe(true)
  expect(Math.abs(samples.length / 16_000 - 9)).toBeLessThan(1.1)
})

test('cuts chunks of any length into windows of the same samples', () => {
  fc.assert(
    fc.property(fc.array(fc.float32Array({ maxLength: 1_500, noNaN: true }), { maxLength: 8 }), (pieces) => {
      const cutter = new WindowCutter()
      const windows = [...pieces.flatMap((piece) => cutter.push(piece)), ...cutter.flush()]
      const sent = pieces.flatMap((piece) => [...piece])
      expect(windows.every(({ length }) => length === 512)).toBe(true)
      expect(windows.flatMap((window) => [...window]).slice(0, sent.length)).toEqual(sent)
      expect(windows.length).toBe(Math.ceil(sent.length / 512))
    }),
    { numRuns: 30 },
  )
})

test.each([
  ['a missing file', 'gone.wav', null],
  ['a file without audio', 'text.wav', 'these are words, not sounds'],
])('rejects %s', async (_, name, content) => {
  const file = path.join(folder, name)
  if (content !== null) await writeFile(file, content)
  await expect(all(windowsOfFile(file, NEVER))).rejects.toMatchObject({
    name: 'SpeechFailed',
    retryable: false,
    message: 'native: the audio cannot be decoded',
  })
})

test('rejects a URL as a file', async () => {
  await expect(all(windowsOfFile('http://127.0.0.1:1/sound.wav', NEVER))).rejects.toThrow('cannot be decoded')
})

test('stops ffmpeg when the signal aborts', async () => {
  const file = path.join(folder, 'long.wav')
  await run('ffmpeg', ['-v', 'error', '-f', 'lavfi', '-i', 'sine=duration=600:sample_rate=16000', file])
  const stopped = new AbortController()
  const reading = (async () => {
    for await (const _ of windowsOfFile(file, stopped.signal)) stopped.abort()
  })()
  await expect(reading).rejects.toThrow()
})
