// JigsawStack after the call: one form request with the audio and the options as JSON. It returns phrases and no words.
import type { JsonObject } from '../../domain/bot.ts'
import { createClient, type Endpoint, type RetryPolicy, readAnswer } from '../http/client.ts'
import { asFields, asList, asNumber, asText, orNull } from '../http/json-fields.ts'
import { reasonIn, sentence } from '../http/refusal.ts'
import { type AudioFile, formUpload } from '../http/upload.ts'
import { type Recogniser, type Recognition, SpeechFailed } from '../provider.ts'
import { spread, toUtterances, type VendorWord } from '../utterances.ts'
import { mergeOptions } from './options.ts'
import { MOST_BYTES_PER_SECOND, splittingRecogniser } from './split-recording.ts'

const VENDOR = 'JigsawStack'
const MOST_BYTES = 100_000_000
const RESERVED = ['url', 'file_store_key', 'webhook_url', 'stream', 'vad', 'vad_threshold', 'model']

export function jigsawstack(endpoint: Endpoint, retryPolicy?: RetryPolicy): Recogniser {
  const transcribe = jigsawstackTranscriber(endpoint, retryPolicy)
  return splittingRecogniser(() => ({ mostSeconds: MOST_BYTES / MOST_BYTES_PER_SECOND, transcribe }))
}

type Transcribe = (audio: AudioFile, options: JsonObject, signal: AbortSignal) => Promise<Recognition>

/** Makes one request for one audio file. */
export function jigsawstackTranscriber(endpoint: Endpoint, retryPolicy?: RetryPolicy): Transcribe {
  const client = createClient({ vendor: VENDOR, endpoint, headers: { 'x-api-key': endpoint.apiKey }, ...(retryPolicy && { retryPolicy }) })
  return async (audio, options, signal) => {
    const body = JSON.stringify(mergeOptions(options, { defaults: {}, reserved: RESERVED }))
    const deadlineMs = client.retryPolicy.audioRequestMs(audio.seconds)
    const raw = await client.json({ path: '/v1/ai/transcribe', upload: formUpload([['body', body]], audio), deadlineMs }, signal)
    return readAnswer(VENDOR, () => {
      const answer = asFields(raw, 'answer')
      if (answer.success === false)
        throw new SpeechFailed(`${VENDOR} failed: ${sentence(reasonIn(JSON.stringify(raw)))}`, { retryable: false })
      const text = asText(answer.text, 'text')
      const chunks = orNull(asList)(answer.chunks, 'chunks') ?? []
      const words =
        chunks.length > 0 ? chunks.flatMap((chunk, index) => readChunk(chunk, index, audio.seconds)) : spread(text, 0, audio.seconds)
      return { utterances: toUtterances(words, text), raw }
    })
  }
}

function readChunk(value: unknown, index: number, seconds: number): VendorWord[] {
  const place = `chunks[${index}]`
  const chunk = asFields(value, place)
  const times = asList(chunk.timestamp, `${place}.timestamp`)
  const start = asNumber(times[0], `${place}.timestamp[0]`)
  // The last phrase may have no end.
  const end = orNull(asNumber)(times[1], `${place}.timestamp[1]`) ?? seconds
  return spread(asText(chunk.text, `${place}.text`), start, end)
}
