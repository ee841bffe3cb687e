// Text to speech as a WAV file: by a configured endpoint, or else by local programs, flite for English and espeak-ng for every other
// language or voice.
import { readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { VoiceEndpoint } from '../domain/protocol.ts'
import { Failure } from '../kit/failure.ts'
import { ProcessFailed, runProcess } from '../kit/process.ts'
import { inTemporaryFolder } from '../kit/temporary-folder.ts'
import { SpeechFailed } from './provider.ts'
import { synthesiseAtEndpoint } from './text-to-speech-endpoint.ts'

export type SpeechText = {
  readonly text: string
  /** A voice of flite, or one of espeak-ng such as `en-gb`, `en-us+f3` or `f3`. Null: the default of the language. */
  readonly voice: string | null
  /** A language tag, e.g. `de` or `pt-BR`. Null: English, or the voice's own. */
  readonly language: string | null
}

/** The requested voice or language does not exist. */
export class UnknownVoice extends Failure {
  override readonly name = 'UnknownVoice'

  constructor(message: string, options?: ErrorOptions) {
    super('unknown_voice', message, options)
  }
}

/** The longest text takes flite 4 s of CPU. */
const LIMIT_MS = 30_000
const LONGEST_TEXT = 4_000
const FLITE_VOICES: readonly string[] = ['slt', 'rms', 'awb', 'kal16', 'kal']
const USUAL_VOICE = 'slt'
const ENGLISH = /^en(-us)?$/i
/** The programs also accept a path as a voice, and flite even a URL, so only plain names are allowed. */
const NAME = /^[a-z\d]{1,20}(-[a-z\d]{1,20}){0,5}$/i

/** Settles within half a minute. A configured endpoint has no fallback, because the voice must not change when a request fails. */
export async function synthesise(words: SpeechText, endpoint: VoiceEndpoint | null = null): Promise<Buffer> {
  // A NUL would end the text, and other control characters are not spoken.
  const text = words.text.replaceAll(/\p{Cc}/gu, ' ').trim()
  if (text === '') throw new Failure('text_refused', 'The text to speak is empty.')
  if (text.length > LONGEST_TEXT)
    throw new Failure('text_refused', `The text to speak must be at most ${LONGEST_TEXT} characters, got ${text.length}.`)
  if (endpoint) return synthesiseThere(endpoint, text, words.voice)
  const signal = AbortSignal.timeout(LIMIT_MS)
  const fliteVoice = fliteVoiceFor(words)
  try {
    if (fliteVoice === null) return await speak('espeak-ng', await espeakVoiceFor(words, signal), text, signal)
    return await speak('flite', fliteVoice, text, signal)
  } catch (error) {
    if (isNoVoice(error)) throw unknown(words, { cause: error })
    // Without flite, English falls back to espeak-ng, except where the caller named a voice of flite.
    if (!(error instanceof Missing) || fliteVoice === null || words.voice !== null) throw error
    return speak('espeak-ng', 'en-us', text, signal)
  }
}

async function synthesiseThere(endpoint: VoiceEndpoint, text: string, voice: string | null): Promise<Buffer> {
  try {
    return await synthesiseAtEndpoint(endpoint, { text, voice }, LIMIT_MS)
  } catch (error) {
    // A final refusal of a request with a chosen voice most likely concerns the voice.
    if (voice === null || !(error instanceof SpeechFailed) || error.retryable) throw error
    throw new UnknownVoice(`The voice ${JSON.stringify(voice)} is not available. ${error.message}`, { cause: error })
  }
}

function fliteVoiceFor({ voice, language }: SpeechText): string | null {
  const isEnglish = language === null || ENGLISH.test(language)
  if (voice === null) return isEnglish ? USUAL_VOICE : null
  if (!FLITE_VOICES.includes(voice)) return null
  if (!isEnglish && !language.toLowerCase().startsWith('en-'))
    throw unknownVoice(`The voice ${voice} speaks English only, not ${JSON.stringify(language)}.`)
  return voice
}

async function espeakVoiceFor(words: SpeechText, signal: AbortSignal): Promise<string> {
  const { voice, language } = words
  const [first = '', variant, ...more] = (voice ?? language ?? '').split('+')
  const names = [first, ...(variant === undefined ? [] : [variant]), ...(language === null ? [] : [language])]
  if (more.length > 0 || !names.every((name) => NAME.test(name))) throw unknown(words)
  if (voice === null) return first
  // espeak-ng silently ignores an unknown variant, so it is checked here.
  const variants = await variantNames(signal)
  if (variants.has(first)) return `${language ?? 'en-us'}+${first}`
  if (variant !== undefined && !variants.has(variant)) throw unknown(words)
  return voice
}

function unknown({ voice, language }: SpeechText, options?: ErrorOptions): UnknownVoice {
  const named = [voice === null ? [] : `voice ${JSON.stringify(voice)}`, language === null ? [] : `language ${JSON.stringify(language)}`]
  return unknownVoice(`There is no ${named.flat().join(' in the ')} on this server.`, options)
}

function unknownVoice(problem: string, options?: ErrorOptions): UnknownVoice {
  return new UnknownVoice(
    `${problem} \`espeak-ng --voices\`, \`espeak-ng --voices=variant\` and \`flite -lv\` list the available voices.`,
    options,
  )
}

async function variantNames(signal: AbortSignal): Promise<ReadonlySet<string>> {
  const list = await runProgram('espeak-ng', ['--voices=variant'], signal)
  return new Set([...list.matchAll(/\s!v\/(\S+)/g)].map(([, name = '']) => name))
}

function speak(program: Program, voice: string, text: string, signal: AbortSignal): Promise<Buffer> {
  return inTemporaryFolder(join(tmpdir(), 'emissary-voice-'), async (folder) => {
    const [input, output] = [join(folder, 'words.txt'), join(folder, 'words.wav')]
    await writeFile(input, text)
    await runProgram(program, ARGUMENTS[program](voice, input, output), signal)
    return readFile(output)
  })
}

type Program = 'flite' | 'espeak-ng'

const ARGUMENTS: Readonly<Record<Program, (voice: string, input: string, output: string) => readonly string[]>> = {
  flite: (voice, input, output) => ['-voice', voice, '-f', input, '-o', output],
  // `-b 1` is UTF-8: without a locale the program would guess the encoding.
  'espeak-ng': (voice, input, output) => ['-v', voice, '-b', '1', '-f', input, '-w', output],
}

class Missing extends Failure {}

async function runProgram(program: Program, args: readonly string[], signal: AbortSignal): Promise<string> {
  try {
    return String(await runProcess({ program, args, signal, limitMs: LIMIT_MS }))
  } catch (error) {
    if (signal.aborted) throw new Failure('voice_late', `${program} did not finish within ${LIMIT_MS} ms.`, { cause: error })
    if (error instanceof ProcessFailed && error.isNotInstalled)
      throw new Missing('voice_missing', `${program} is not installed. Install the package ${program}.`, { cause: error })
    throw error
  }
}

function isNoVoice(error: unknown): boolean {
  return error instanceof ProcessFailed && /voice does not exist|could not load the specified/i.test(error.complaint)
}
