// Speech of the locally installed programs.
import { mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test, vi } from 'vitest'
import { findProgram } from '../kit/programs.ts'
import { synthesise, UnknownVoice } from './text-to-speech.ts'

afterEach(() => vi.unstubAllEnvs())

const words = (text: string, voice: string | null = null, language: string | null = null) => synthesise({ text, voice, language })

/** Sample rate, length and loudness of a WAV file. Checks its header. */
function read(wav: Buffer): { readonly rate: number; readonly seconds: number; readonly rms: number } {
  expect(wav.toString('latin1', 0, 4) + wav.toString('latin1', 8, 16)).toBe('RIFFWAVEfmt ')
  expect(wav.readUInt32LE(40)).toBe(wav.length - 44)
  const rate = wav.readUInt32LE(24)
  let sum = 0
  for (let at = 44; at + 1 < wav.length; at += 2) sum += (wav.readInt16LE(at) / 32_768) ** 2
  const samples = (wav.length - 44) / 2
  return { rate, seconds: samples / rate, rms: Math.sqrt(sum / samples) }
}

test.each([
  ['English by flite', 'The meeting begins now.', null, null, 16_000],
  ['English by name', 'The meeting begins now.', null, 'en-US', 16_000],
  ['a named voice of flite', 'The meeting begins now.', 'kal', null, 8_000],
  ['German by espeak-ng', 'Die Besprechung beginnt jetzt.', null, 'de', 22_050],
  ['a language with its country', 'A reunião começa agora.', null, 'pt-BR', 22_050],
  ['English of another country', 'The meeting begins now.', null, 'en-GB', 22_050],
  ['a voice of espeak-ng', 'The meeting begins now.', 'en-us+f3', null, 22_050],
  ['a voice variant of a language', 'Die Besprechung beginnt jetzt.', 'f3', 'de', 22_050],
])('speaks %s', async (_, text, voice, language, rate) => {
  const said = read(await words(text, voice, language))
  expect(said.rate).toBe(rate)
  expect(said.seconds).toBeGreaterThan(0.8)
  expect(said.seconds).toBeLessThan(4)
  expect(said.rms).toBeGreaterThan(0.02)
})

test('speaks text that looks like options or markup', async () => {
  const short = read(await words('no'))
  for (const text of ['$(touch spoken) `id` "; hello', '-voice kal hello', '/etc/hostname', 'before\0after the end', '<b>hello</b>'])
    expect(read(await words(text)).seconds).toBeGreaterThan(short.seconds + 0.2)
})

test('speaks different variants with different voices', async () => {
  const [low, high] = await Promise.all([words('hello there', 'en-us'), words('hello there', 'en-us+f3')])
  expect(high.equals(low)).toBe(false)
})

test.each([
  ['nobody', null, 'There is no voice "nobody" on this server.'],
  ['en-us+nobody', null, 'There is no voice "en-us+nobody" on this server.'],
  ['en-us+f3+f4', null, 'There is no voice "en-us+f3+f4" on this server.'],
  ['../../../etc/passwd', null, 'There is no voice "../../../etc/passwd" on this server.'],
  ['http://127.0.0.1/voice.flitevox', null, 'There is no voice "http://127.0.0.1/voice.flitevox" on this server.'],
  ['', null, 'There is no voice "" on this server.'],
  [null, 'xx', 'There is no language "xx" on this server.'],
  [null, '-w', 'There is no language "-w" on this server.'],
  ['f3', 'xx', 'There is no voice "f3" in the language "xx" on this server.'],
  ['slt', 'de', 'The voice slt speaks English only, not "de".'],
])('rejects the voice %j in the language %j', async (voice, language, sentence) => {
  const error = await words('hello', voice, language).catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(UnknownVoice)
  expect(String(error)).toContain(`${sentence} \`espeak-ng --voices\``)
})

test('rejects an empty text and a text that is too long', async () => {
  await expect(words(' \n\t')).rejects.toThrow('The text to speak is empty.')
  await expect(words('a'.repeat(4001))).rejects.toThrow('The text to speak must be at most 4000 characters, got 4001.')
})

test('names the package to install if the program is missing', async () => {
  const few = await mkdtemp(join(tmpdir(), 'emissary-few-programs-'))
  // Every program is started by these two.
  for (const program of ['setpriv', 'nice']) await symlink(findProgram(program) ?? '', join(few, program))
  vi.stubEnv('PATH', few)
  try {
    await expect(words('hallo', null, 'de')).rejects.toThrow('espeak-ng is not installed. Install the package espeak-ng.')
    await expect(words('hello')).rejects.toThrow('espeak-ng is not installed. Install the package espeak-ng.')
    await expect(words('hello', 'slt')).rejects.toThrow('flite is not installed. Install the package flite.')
  } finally {
    await rm(few, { recursive: true })
  }
})
