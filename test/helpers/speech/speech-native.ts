// The local recogniser with its real weights.
import { access } from 'node:fs/promises'
import { homedir } from 'node:os'
import path from 'node:path'
import type { Utterance } from '../../../src/domain/transcript.ts'
import { modelFiles } from '../../../src/speech/models.ts'
import { NativeSpeech } from '../../../src/speech/native/native.ts'
import type { LiveResult, LiveStream, SpeechFailed } from '../../../src/speech/provider.ts'
import { RATE } from './speech-audio.ts'

export const MODELS_FOLDER = process.env.MODELS_DIR ?? path.join(homedir(), '.cache/emissary/models')
/** The sentence of each flite voice, without numbers, because those have several spellings. */
export const SCRIPTS = {
  slt: [
    'Good morning everybody, shall we begin with the budget?',
    'We need to hire two more engineers before the end of March.',
    'Could you please share your screen so that everyone can see the numbers?',
    'The release was delayed because the tests failed on the old servers.',
  ],
  rms: [
    'Let us talk about the marketing plan for the next quarter.',
    'Please remember to update the document after the call.',
    'The database migration took longer than we expected.',
    'What is the deadline for the security review?',
  ],
  awb: [
    'The second item is the new office in Hamburg.',
    'I would like to thank the whole team for their hard work.',
    'We found a serious problem in the payment system last night.',
    'Let me know if you need help with the presentation.',
  ],
} as const satisfies Record<string, readonly string[]>

const NEVER = new AbortController().signal

export async function startNative(options: { readonly idleMs?: number; readonly ownModel?: string } = {}): Promise<NativeSpeech> {
  const files = Object.values(modelFiles(MODELS_FOLDER))
  await Promise.all(files.map((file) => access(file))).catch((cause: unknown) => {
    throw new Error('The speech models are missing. Run: emissary models install', { cause })
  })
  return new NativeSpeech({ modelsFolder: MODELS_FOLDER, ...options })
}

export async function listenTo(native: NativeSpeech, file: string, seconds: number) {
  return native.transcribe({ file, seconds }, {}, NEVER)
}

/** A live stream that collects its results. */
export function openStream(native: NativeSpeech) {
  const received: LiveResult[] = []
  const failures: SpeechFailed[] = []
  const stream = native.open({ onResult: (it) => received.push(it), onFailure: (error) => failures.push(error) }, {})
  return { stream, received, failures, finals: () => received.filter(({ final }) => final) }
}

const PACKET = RATE / 50

/** In packets of 20 ms, as fast as they are accepted. */
export function send(stream: LiveStream, samples: Int16Array, at: number): void {
  for (let from = 0; from < samples.length; from += PACKET) stream.write(samples.slice(from, from + PACKET), at + from / RATE)
}

export const textOf = (utterances: readonly Utterance[]): string => utterances.map(({ text }) => text).join(' ')
