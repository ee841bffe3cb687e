// JigsawStack after the call: a form with the sound and the options as JSON beside it. It tells phrases, not words.
import type { JsonObject } from '../domain/bot.ts'
import { asFields, asList, asNumber, asText, orNull } from './answer.ts'
import { createClient, type Endpoint, type Patience, readable } from './http.ts'
import { mergeOptions } from './options.ts'
import { MOST_BYTES_PER_SECOND, recogniserInPieces } from './pieces.ts'
import { type Heard, type Recogniser, SpeechFailed } from './provider.ts'
import { reasonIn, sentence } from './refusal.ts'
import { formUpload, type Sound } from './upload.ts'
import { type SpokenWord, spread, toUtterances } from './utterances.ts'

const VENDOR = 'JigsawStack'
const MOST_BYTES = 100_000_000
const OURS = ['url', 'file_store_key', 'webhook_url', 'stream', 'vad', 'vad_threshold', 'model']

export function jigsawstack(endpoint: Endpoint, patience?: Patience): Recogniser {
  const hear = jigsawstackHears(endpoint, patience)
  return recogniserInPieces(() => ({ mostSeconds: MOST_BYTES / MOST_BYTES_PER_SECOND, hear }))
}

type Hears = (sound: Sound, options: JsonObject, signal: AbortSignal) => Promise<Heard>

/** One request for one sound. */
export function jigsawstackHears(endpoint: Endpoint, patience?: Patience): Hears {
  const client = createClient({ vendor: VENDOR, endpoint, headers: { 'x-api-key': endpoint.apiKey }, ...(patience && { patience }) })
  return async (sound, options, signal) => {
    const body = JSON.stringify(mergeOptions(options, { defaults: {}, ours: OURS }))
    const deadlineMs = client.patience.hearingMs(sound.seconds)
    const raw = await client.json({ path: '/v1/ai/transcribe', upload: formUpload([['body', body]], sound), deadlineMs }, signal)
    return readable(VENDOR, () => {
      const answer = asFields(raw, 'answer')
      if (answer.success === false)
        throw new SpeechFailed(`${VENDOR} failed: ${sentence(reasonIn(JSON.stringify(raw)))}`, { passing: false })
      const text = asText(answer.text, 'text')
      const chunks = orNull(asList)(answer.chunks, 'chunks') ?? []
      const words =
        chunks.length > 0 ? chunks.flatMap((chunk, index) => readChunk(chunk, index, sound.seconds)) : spread(text, 0, sound.seconds)
      return { utterances: toUtterances(words, text), raw }
    })
  }
}

function readChunk(value: unknown, index: number, seconds: number): SpokenWord[] {
  const place = `chunks[${index}]`
  const chunk = asFields(value, place)
  const times = asList(chunk.timestamp, `${place}.timestamp`)
  const start = asNumber(times[0], `${place}.timestamp[0]`)
  // The last phrase may be told without an end.
  const end = orNull(asNumber)(times[1], `${place}.timestamp[1]`) ?? seconds
  return spread(asText(chunk.text, `${place}.text`), start, end)
}
