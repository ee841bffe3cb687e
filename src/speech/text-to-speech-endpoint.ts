// Text to speech by an endpoint with OpenAI's API. Returns a WAV file with a correct header.
import type { VoiceEndpoint } from '../domain/protocol.ts'
import { createClient, DEFAULT_RETRY_POLICY } from './http/client.ts'
import { jsonUpload } from './http/upload.ts'
import { SpeechFailed } from './provider.ts'
import { asWav } from './wav.ts'

const VENDOR = 'The voice endpoint'
const PCM_RATE = 24_000
/** Short, because the speech is needed now. */
const RETRY_POLICY = { ...DEFAULT_RETRY_POLICY, retry: { attempts: 2, firstMs: 250, longestMs: 1_000 } }

export async function synthesiseAtEndpoint(
  { baseUrl, apiKey, model, voice, format }: VoiceEndpoint,
  words: { readonly text: string; readonly voice: string | null },
  limitMs: number,
): Promise<Buffer> {
  const headers: Readonly<Record<string, string>> = apiKey === '' ? {} : { authorization: `Bearer ${apiKey}` }
  const client = createClient({ vendor: VENDOR, endpoint: { baseUrl, apiKey }, headers, retryPolicy: RETRY_POLICY })
  const body = { model, voice: words.voice ?? voice, input: words.text, response_format: format }
  const limit = AbortSignal.timeout(limitMs)
  try {
    const sound = await client.bytes({ path: '/audio/speech', upload: jsonUpload(body), deadlineMs: limitMs }, limit)
    return format === 'pcm' ? asWav(wholeSamples(sound), PCM_RATE) : withCorrectHeader(sound)
  } catch (error) {
    throw limit.aborted ? new SpeechFailed(`${VENDOR} did not answer within ${limitMs} ms.`, { retryable: true, cause: error }) : error
  }
}

/** A streamed WAV file has a wrong length in its header, and players rely on it. */
function withCorrectHeader(wav: Buffer): Buffer {
  const isWav = wav.length > 44 && wav.toString('latin1', 0, 4) === 'RIFF' && wav.toString('latin1', 8, 12) === 'WAVE'
  const chunks = isWav ? chunksOf(wav) : new Map<string, number>()
  const [format, data] = [chunks.get('fmt '), chunks.get('data')]
  if (format === undefined || data === undefined) throw unreadable('something other than a WAV file')
  const [kind, channels, rate, bits] = [0, 2, 4, 14].map((offset) =>
    offset === 4 ? wav.readUInt32LE(format + offset) : wav.readUInt16LE(format + offset),
  )
  if (kind !== 1 || channels !== 1 || bits !== 16 || !rate) throw unreadable('a WAV file that is not 16-bit mono')
  return asWav(wholeSamples(wav.subarray(data, Math.min(wav.length, data + wav.readUInt32LE(data - 4)))), rate)
}

/** The offset of the content of each RIFF chunk. */
function chunksOf(wav: Buffer): Map<string, number> {
  const found = new Map<string, number>()
  for (let at = 12; at + 8 <= wav.length; ) {
    const name = wav.toString('latin1', at, at + 4)
    found.set(name, at + 8)
    const length = wav.readUInt32LE(at + 4)
    // The data chunk is the last one, and its length may be wrong. Chunks start at even offsets.
    if (name === 'data') break
    at += 8 + length + (length % 2)
  }
  return found
}

function wholeSamples(pcm: Buffer): Buffer {
  if (pcm.length < 2) throw unreadable('no audio')
  return pcm.subarray(0, pcm.length - (pcm.length % 2))
}

function unreadable(found: string): SpeechFailed {
  return new SpeechFailed(`${VENDOR} answered with ${found}.`, { retryable: false })
}
