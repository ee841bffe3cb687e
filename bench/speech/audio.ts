// Four minutes of varied sentences by three voices at known times, repeated for any length.
import { open } from 'node:fs/promises'
import path from 'node:path'
import { keep, type Placed, RATE, speech } from '../../test/helpers/speech/speech-audio.ts'

const VOICES = ['slt', 'rms', 'awb'] as const
export const SENTENCES = [
  'Good morning everybody, shall we begin with the budget?',
  'The second item is the new office in Hamburg.',
  'We need to hire two more engineers before the end of March.',
  'I sent the report to the customer yesterday afternoon.',
  'Could you please share your screen so that everyone can see the numbers?',
  'The release was delayed because the tests failed on the old servers.',
  'Let us talk about the marketing plan for the next quarter.',
  'I think we should move the meeting to Thursday morning.',
  'Our revenue grew faster than the revenue of our largest competitor.',
  'Please remember to update the document after the call.',
  'She will travel to London next week and visit the factory.',
  'The database migration took longer than we expected.',
  'Nobody complained about the price, but several people asked for more training.',
  'What is the deadline for the security review?',
  'I would like to thank the whole team for their hard work.',
  'They promised to send the signed contract on Monday.',
  'Before we finish, does anybody have another question?',
  'The weather was terrible, so the flight landed two hours late.',
  'We found a serious problem in the payment system last night.',
  'Let me know if you need help with the presentation.',
] as const
const SILENCES = [0.7, 1.1, 0.9, 1.6]

export type Talk = { readonly samples: Int16Array; readonly placed: readonly Placed[]; readonly seconds: number }

export async function talkOf(folder: string, voice: string, sentences: readonly string[] = SENTENCES): Promise<Talk> {
  const { samples, placed } = await speech(folder, sentences, voice, SILENCES)
  return { samples, placed, seconds: samples.length / RATE }
}

export async function fourMinutes(folder: string): Promise<Talk> {
  const parts: Talk[] = []
  for (const voice of VOICES) parts.push(await talkOf(folder, voice))
  const samples = new Int16Array(parts.reduce((sum, part) => sum + part.samples.length, 0))
  const placed: Placed[] = []
  let at = 0
  for (const part of parts) {
    samples.set(part.samples, at)
    placed.push(...part.placed.map(({ text, start, end }) => ({ text, start: start + at / RATE, end: end + at / RATE })))
    at += part.samples.length
  }
  return { samples, placed, seconds: samples.length / RATE }
}

/** The talk as one WAV file, repeated. */
export async function repeated(folder: string, { samples }: Talk, times: number): Promise<string> {
  const file = await keep(path.join(folder, 'repeated.wav'), samples, times * samples.length)
  const more = await open(file, 'a')
  for (let again = 1; again < times; again++) await more.write(Buffer.from(samples.buffer, samples.byteOffset, samples.byteLength))
  await more.close()
  return file
}
