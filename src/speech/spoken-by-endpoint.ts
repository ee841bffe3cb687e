// Text spoken by an endpoint of OpenAI's shape: its answer is sound, and leaves here as a WAV file with a true header.
import type { VoiceEndpoint } from '../domain/protocol.ts'
import { createClient, USUAL_PATIENCE } from './http.ts'
import { SpeechFailed } from './provider.ts'
import { jsonUpload } from './upload.ts'
import { asWav } from './wav.ts'

const VENDOR = 'The voice endpoint'
const PCM_RATE = 24_000
/** Somebody waits for the voice. */
const PATIENCE = { ...USUAL_PATIENCE, tries: 2, retryMs: 200, longestPauseMs: 1_000 }

export async function sayByEndpoint(
  { baseUrl, apiKey, model, voice, format }: VoiceEndpoint,
  words: { readonly text: string; readonly voice: string | null },
  limitMs: number,
): Promise<Buffer> {
  const headers: Readonly<Record<string, string>> = apiKey === '' ? {} : { authorization: `Bearer ${apiKey}` }
  const client = createClient({ vendor: VENDOR, endpoint: { baseUrl, apiKey }, headers, patience: PATIENCE })
  const order = { model, voice: words.voice ?? voice, input: words.text, response_format: format }
  const limit = AbortSignal.timeout(limitMs)
  try {
    const sound = await client.bytes({ path: '/audio/speech', upload: jsonUpload(order), deadlineMs: limitMs }, limit)
    return format === 'pcm' ? asWav(wholeSamples(sound), PCM_RATE) : withTrueHeader(sound)
  } catch (error) {
    throw limit.aborted ? new SpeechFailed(`${VENDOR} did not answer within ${limitMs} ms.`, { passing: true, cause: error }) : error
  }
}

/** What is streamed has no length yet when its header is written; whoever plays it would trust the header. */
function withTrueHeader(wav: Buffer): Buffer {
  const isWav = wav.length > 44 && wav.toString('latin1', 0, 4) === 'RIFF' && wav.toString('latin1', 8, 12) === 'WAVE'
  const chunks = isWav ? chunksOf(wav) : new Map<string, number>()
  const [format, data] = [chunks.get('fmt '), chunks.get('data')]
  if (format === undefined || data === undefined) throw unreadable('no WAV file')
  const [kind, channels, rate, bits] = [0, 2, 4, 14].map((offset) =>
    offset === 4 ? wav.readUInt32LE(format + offset) : wav.readUInt16LE(format + offset),
  )
  if (kind !== 1 || channels !== 1 || bits !== 16 || !rate) throw unreadable('a WAV file that is not 16-bit mono')
  return asWav(wholeSamples(wav.subarray(data, Math.min(wav.length, data + wav.readUInt32LE(data - 4)))), rate)
}

/** Where the content of each part begins. */
function chunksOf(wav: Buffer): Map<string, number> {
  const found = new Map<string, number>()
  for (let at = 12; at + 8 <= wav.length; ) {
    const name = wav.toString('latin1', at, at + 4)
    found.set(name, at + 8)
    const length = wav.readUInt32LE(at + 4)
    // The sound is the last part, and its length the one that may be untrue. Parts begin at even places.
    if (name === 'data') break
    at += 8 + length + (length % 2)
  }
  return found
}

function wholeSamples(pcm: Buffer): Buffer {
  if (pcm.length < 2) throw unreadable('no sound')
  return pcm.subarray(0, pcm.length - (pcm.length % 2))
}

function unreadable(what: string): SpeechFailed {
  return new SpeechFailed(`${VENDOR} answered ${what}.`, { passing: false })
}
