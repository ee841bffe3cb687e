// Speech with known words: sentences by local voices, placed at chosen moments.
import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { synthesise } from '../../../src/speech/text-to-speech.ts'

const run = promisify(execFile)

export const RATE = 16_000
/** Quieter audio is not speech. Voices fade in and out below it. */
const AUDIBLE = 500

/** Where a sentence begins and ends, in seconds. */
export type Placed = { readonly text: string; readonly start: number; readonly end: number }

/** One sentence without the silence around it. */
export async function sentence(folder: string, text: string, voice: string): Promise<Int16Array> {
  const file = path.join(folder, 'sentence.wav')
  await writeFile(file, await synthesise({ text, voice, language: null }))
  const samples = await samplesOf(file)
  const first = samples.findIndex((sample) => Math.abs(sample) > AUDIBLE)
  const last = samples.findLastIndex((sample) => Math.abs(sample) > AUDIBLE)
  return samples.slice(first, last + 1)
}

/** Sentences in sequence, with silences of these lengths around them. */
export async function speech(folder: string, texts: readonly string[], voice: string, silences: readonly number[]) {
  const parts: Int16Array[] = []
  const placed: Placed[] = []
  let seconds = 0
  const add = (samples: Int16Array): void => {
    parts.push(samples)
    seconds += samples.length / RATE
  }
  for (const [at, text] of texts.entries()) {
    add(silence(silences[at % silences.length] ?? 1))
    const start = seconds
    add(await sentence(folder, text, voice))
    placed.push({ text, start, end: seconds })
  }
  add(silence(1))
  return { samples: joined(parts), placed }
}

export function silence(seconds: number): Int16Array {
  return new Int16Array(Math.round(seconds * RATE))
}

export function joined(parts: readonly Int16Array[]): Int16Array {
  const all = new Int16Array(parts.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const part of parts) {
    all.set(part, at)
    at += part.length
  }
  return all
}

/** Anything that ffmpeg reads, or generates (`-f lavfi -i ...`). */
export async function samplesOf(...input: readonly string[]): Promise<Int16Array> {
  const from = input.length === 1 ? ['-i', ...input] : input
  const words = ['-v', 'error', ...from, '-ac', '1', '-ar', String(RATE), '-f', 's16le', 'pipe:1']
  const { stdout } = await run('ffmpeg', words, { encoding: 'buffer', maxBuffer: 2 ** 30 })
  return Int16Array.from({ length: stdout.length / 2 }, (_, at) => stdout.readInt16LE(at * 2))
}

/** As a WAV file. Its header may promise more samples than it has, for tests that append. */
export async function keep(file: string, samples: Int16Array, promised = samples.length): Promise<string> {
  const bytes = promised * 2
  const header = Buffer.alloc(44)
  header.write('RIFF', 0)
  header.writeUInt32LE(36 + bytes, 4)
  header.write('WAVEfmt ', 8)
  header.writeUInt32LE(16, 16)
  header.writeUInt16LE(1, 20)
  header.writeUInt16LE(1, 22)
  header.writeUInt32LE(RATE, 24)
  header.writeUInt32LE(RATE * 2, 28)
  header.writeUInt16LE(2, 32)
  header.writeUInt16LE(16, 34)
  header.write('data', 36)
  header.writeUInt32LE(bytes, 40)
  await writeFile(file, Buffer.concat([header, Buffer.from(samples.buffer, samples.byteOffset, samples.byteLength)]))
  return file
}
