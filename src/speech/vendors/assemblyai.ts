// AssemblyAI after the call: uploads the audio, requests a transcript, and polls until it is done.
import type { JsonObject } from '../../domain/bot.ts'
import { createClient, type Endpoint, poll, type RetryPolicy, readAnswer, type VendorClient } from '../http/client.ts'
import { asFields, asList, asNumber, asText, orNull } from '../http/json-fields.ts'
import { sentence } from '../http/refusal.ts'
import { audioUpload, jsonUpload } from '../http/upload.ts'
import { type Recogniser, type Recognition, SpeechFailed } from '../provider.ts'
import { toUtterances, type VendorWord } from '../utterances.ts'
import { mergeOptions } from './options.ts'
import { splittingRecogniser } from './split-recording.ts'

const VENDOR = 'AssemblyAI'
/** AssemblyAI uses the second model if the first does not support the language. */
const MODELS = ['universal-3-pro', 'universal-2']
const RESERVED = ['audio_url', 'webhook_url', 'webhook_auth_header_name', 'webhook_auth_header_value', 'multichannel', 'dual_channel']
/** Language detection fails on silence. We treat that as a transcript without words. */
const NOTHING_SAID = /no spoken audio/i

export function assemblyai(endpoint: Endpoint, retryPolicy?: RetryPolicy): Recogniser {
  const client = createClient({
    vendor: VENDOR,
    endpoint,
    headers: { authorization: endpoint.apiKey },
    ...(retryPolicy && { retryPolicy }),
  })
  return splittingRecogniser(() => ({
    mostSeconds: null,
    async transcribe(audio, options, signal) {
      const deadlineMs = client.retryPolicy.audioRequestMs(audio.seconds)
      const upload = audioUpload(audio, 'application/octet-stream')
      const uploaded = await client.json({ path: '/v2/upload', upload, deadlineMs }, signal)
      const audio_url = await readAnswer(VENDOR, () => asText(asFields(uploaded, 'answer').upload_url, 'upload_url'))
      const requested = await client.json({ path: '/v2/transcript', upload: jsonUpload({ ...bodyOf(options), audio_url }) }, signal)
      const id = await readAnswer(VENDOR, () => asText(asFields(requested, 'answer').id, 'id'))
      return poll(client, deadlineMs, () => ask(client, id, signal), signal)
    },
  }))
}

function bodyOf(options: JsonObject): JsonObject {
  const { model, ...rest } = options
  // The older option `speech_model` excludes `speech_models`.
  const defaults = 'speech_model' in rest ? {} : { speech_models: typeof model === 'string' ? [model] : MODELS }
  return mergeOptions(rest, { defaults, renamed: { language: 'language_code' }, auto: { language_detection: true }, reserved: RESERVED })
}

/** Null: the transcript is not ready yet. */
async function ask(client: VendorClient, id: string, signal: AbortSignal): Promise<Recognition | null> {
  const raw = await client.json({ path: `/v2/transcript/${encodeURIComponent(id)}` }, signal)
  return readAnswer(VENDOR, () => {
    const answer = asFields(raw, 'answer')
    const status = asText(answer.status, 'status')
    if (status === 'queued' || status === 'processing') return null
    if (status === 'completed') return { utterances: toUtterances(readWords(answer.words), orNull(asText)(answer.text, 'text') ?? ''), raw }
    const reason = orNull(asText)(answer.error, 'error') ?? `the transcript is ${status}`
    if (NOTHING_SAID.test(reason)) return { utterances: [], raw }
    throw new SpeechFailed(`${VENDOR} failed: ${sentence(reason)}`, { retryable: false })
  })
}

/** Live turns have the same word format. */
export function readWords(words: unknown): VendorWord[] {
  return (orNull(asList)(words, 'words') ?? []).map((value, index) => {
    const place = `words[${index}]`
    const word = asFields(value, place)
    return {
      text: asText(word.text, `${place}.text`),
      start: inSeconds(orNull(asNumber)(word.start, `${place}.start`)),
      end: inSeconds(orNull(asNumber)(word.end, `${place}.end`)),
      confidence: orNull(asNumber)(word.confidence, `${place}.confidence`),
    }
  })
}

function inSeconds(ms: number | null): number | null {
  return ms === null ? null : ms / 1000
}
