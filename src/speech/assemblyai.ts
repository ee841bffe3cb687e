// AssemblyAI after the call: the sound is uploaded, a transcript is ordered, and asked for until it is done.
import type { JsonObject } from '../domain/bot.ts'
import { asFields, asList, asNumber, asText, orNull } from './answer.ts'
import { createClient, type Endpoint, type Patience, poll, readable, type VendorClient } from './http.ts'
import { mergeOptions } from './options.ts'
import { recogniserInPieces } from './pieces.ts'
import { type Heard, type Recogniser, SpeechFailed } from './provider.ts'
import { sentence } from './refusal.ts'
import { jsonUpload, soundUpload } from './upload.ts'
import { type SpokenWord, toUtterances } from './utterances.ts'

const VENDOR = 'AssemblyAI'
/** The second one is taken where the first does not know the language. */
const MODELS = ['universal-3-pro', 'universal-2']
const OURS = ['audio_url', 'webhook_url', 'webhook_auth_header_name', 'webhook_auth_header_value', 'multichannel', 'dual_channel']
/** Asked for the language of a silence, they fail; to us it is a sound without words. */
const NOTHING_SAID = /no spoken audio/i

export function assemblyai(endpoint: Endpoint, patience?: Patience): Recogniser {
  const client = createClient({ vendor: VENDOR, endpoint, headers: { authorization: endpoint.apiKey }, ...(patience && { patience }) })
  return recogniserInPieces(() => ({
    mostSeconds: null,
    async hear(sound, options, signal) {
      const deadlineMs = client.patience.hearingMs(sound.seconds)
      const upload = soundUpload(sound, 'application/octet-stream')
      const uploaded = await client.json({ path: '/v2/upload', upload, deadlineMs }, signal)
      const audio_url = await readable(VENDOR, () => asText(asFields(uploaded, 'answer').upload_url, 'upload_url'))
      const ordered = await client.json({ path: '/v2/transcript', upload: jsonUpload({ ...orderOf(options), audio_url }) }, signal)
      const id = await readable(VENDOR, () => asText(asFields(ordered, 'answer').id, 'id'))
      return poll(client, deadlineMs, () => ask(client, id, signal), signal)
    },
  }))
}

function orderOf(options: JsonObject): JsonObject {
  const { model, ...rest } = options
  // Their older name for it excludes the newer one.
  const defaults = 'speech_model' in rest ? {} : { speech_models: typeof model === 'string' ? [model] : MODELS }
  return mergeOptions(rest, { defaults, renamed: { language: 'language_code' }, auto: { language_detection: true }, ours: OURS })
}

/** Null: not yet. */
async function ask(client: VendorClient, id: string, signal: AbortSignal): Promise<Heard | null> {
  const raw = await client.json({ path: `/v2/transcript/${encodeURIComponent(id)}` }, signal)
  return readable(VENDOR, () => {
    const answer = asFields(raw, 'answer')
    const status = asText(answer.status, 'status')
    if (status === 'queued' || status === 'processing') return null
    if (status === 'completed') return { utterances: toUtterances(readWords(answer.words), orNull(asText)(answer.text, 'text') ?? ''), raw }
    const reason = orNull(asText)(answer.error, 'error') ?? `the transcript is ${status}`
    if (NOTHING_SAID.test(reason)) return { utterances: [], raw }
    throw new SpeechFailed(`${VENDOR} failed: ${sentence(reason)}`, { passing: false })
  })
}

/** Live turns tell their words likewise. */
export function readWords(words: unknown): SpokenWord[] {
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
