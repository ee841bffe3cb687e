// A spoken line: its audio, and the times of its first and last sound.
import type { Guest } from '../../../sims/room/guest.ts'
import { synthesise } from '../../../src/speech/text-to-speech.ts'

/** Of a 16-bit sample. */
const AUDIBLE = 500

export type Line = {
  readonly name: string
  readonly text: string
  readonly wav: Buffer
  /** The audible part of the audio. */
  readonly fromMs: number
  readonly toMs: number
}

/** Milliseconds since 1970 of the first and the last sound. */
export type Spoken = { readonly name: string; readonly text: string; readonly startMs: number; readonly endMs: number }

export async function line(name: string, voice: string, text: string): Promise<Line> {
  const wav = await synthesise({ text, voice, language: null })
  const rate = wav.readUInt32LE(24)
  const samples = Array.from({ length: Math.floor((wav.length - 44) / 2) }, (_, at) => Math.abs(wav.readInt16LE(44 + at * 2)))
  const ms = (sample: number) => (sample / rate) * 1000
  return { name, text, wav, fromMs: ms(samples.findIndex((it) => it > AUDIBLE)), toMs: ms(samples.findLastIndex((it) => it > AUDIBLE)) }
}

/** Resolves when it has been spoken. */
export async function speak(guest: Guest, { name, text, wav, fromMs, toMs }: Line): Promise<Spoken> {
  const began = await guest.speak(wav)
  return { name, text, startMs: began.fromMs + fromMs, endMs: began.fromMs + toMs }
}
