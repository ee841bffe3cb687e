// JigsawStack after the call: one form request with the audio and the options as JSON. It returns phrases and no words.
import { sentenceOf } from '../../domain/counted.ts'
import { createClient, type Endpoint, type RetryPolicy } from '../http/client.ts'
import type { JsonValue } from '../http/json-value.ts'
import { reasonIn } from '../http/refusal.ts'
import { formUpload } from '../http/upload.ts'
import { type Recogniser, type Recognition, SpeechFailed } from '../provider.ts'
import { spread, toUtterances, type VendorWord } from '../utterances.ts'
import { mergeOptions } from './options.ts'
import { MOST_BYTES_PER_SECOND, splittingRecogniser, type Transcribe } from './split-recording.ts'

const VENDOR = 'JigsawStack'
const MOST_BYTES = 100_000_000
const RESERVED = ['url', 'file_store_key', 'webhook_url', 'stream', 'vad', 'vad_threshold', 'model']

export function jigsawstack(endpoint: Endpoint, retryPolicy?: RetryPolicy): Recogniser {
  const transcribe = jigsawstackTranscriber(endpoint, retryPolicy)
  return splittingRecogniser(transcribe, () => MOST_BYTES / MOST_BYTES_PER_SECOND)
}

/** Makes one request for one audio file. */
export function jigsawstackTranscriber(endpoint: Endpoint, retryPolicy?: RetryPolicy): Transcribe {
  const client = createClient({ vendor: VENDOR, endpoint, headers: { 'x-api-key': endpoint.apiKey }, retryPolicy })
  return (audio, options, signal) => {
    const body = JSON.stringify(mergeOptions(options, { defaults: {}, reserved: RESERVED }))
    const call = { path: '/v1/ai/transcribe', upload: formUpload([['body', body]], audio) }
    return client.json(call, (answer) => readRecognition(answer, audio.seconds), signal)
  }
}

function readRecognition(answer: JsonValue, seconds: number): Recognition {
  const raw = answer.value
  if (answer.at('success').value === false)
    throw new SpeechFailed(`${VENDOR} failed: ${sentenceOf(reasonIn(JSON.stringify(raw)))}`, { retryable: false })
  const text = answer.at('text').text()
  const chunks = answer.at('chunks').listIfAny()
  const words = chunks.length > 0 ? chunks.flatMap((chunk) => readChunk(chunk, seconds)) : spread(text, 0, seconds)
  return { utterances: toUtterances(words, text), raw }
}

function readChunk(chunk: JsonValue, seconds: number): VendorWord[] {
  const times = chunk.at('timestamp')
  const start = times.item(0).number()
  // The last phrase may have no end.
  const end = times.item(1).numberOrNull() ?? seconds
  return spread(chunk.at('text').text(), start, end)
}
