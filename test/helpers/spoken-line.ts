// A line that somebody says aloud: its sound, and when its first and its last sound were heard.
import { sayAloud } from '../../src/speech/voice.ts'

/** Of a sample of 16 bits. */
const AUDIBLE = 500

export type Line = {
  readonly name: string
  readonly text: string
  readonly wav: Buffer
  /** Where in the sound something is heard. */
  readonly fromMs: number
  readonly toMs: number
}

/** Milliseconds since 1970 of the first and the last sound. */
export type Spoken = { readonly name: string; readonly text: string; readonly startMs: number; readonly endMs: number }

export async function line(name: string, voice: string, text: string): Promise<Line> {
  const wav = await sayAloud({ text, voice, language: null })
  const rate = wav.readUInt32LE(24)
  const samples = Array.from({ length: Math.floor((wav.length - 44) / 2) }, (_, at) => Math.abs(wav.readInt16LE(44 + at * 2)))
  const ms = (sample: number) => (sample / rate) * 1000
  return { name, text, wav, fromMs: ms(samples.findIndex((it) => it > AUDIBLE)), toMs: ms(samples.findLastIndex((it) => it > AUDIBLE)) }
}

/** Settles when it has been said. */
export async function speak(person: { speak(wav: Buffer): Promise<void> }, { name, text, wav, fromMs, toMs }: Line): Promise<Spoken> {
  const beganMs = Date.now()
  await person.speak(wav)
  return { name, text, startMs: beganMs + fromMs, endMs: beganMs + toMs }
}
