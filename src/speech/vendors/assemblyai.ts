// AssemblyAI. After the call, it uploads the audio, requests a transcript and polls until it is done. Live, a turn grows until it ends.
import type { JsonObject } from '../../domain/bot.ts'
import { sentenceOf } from '../../domain/counted.ts'
import { isAuto } from '../../domain/speech-languages.ts'
import { createClient, type Endpoint, poll, type RetryPolicy } from '../http/client.ts'
import type { JsonValue } from '../http/json-value.ts'
import { audioUpload, jsonUpload } from '../http/upload.ts'
import { type LiveRecogniser, type Recogniser, type Recognition, SpeechFailed } from '../provider.ts'
import { toUtterances, type VendorWord } from '../utterances.ts'
import { type LiveEvent, type LiveTiming, socketUrl } from './live-protocol.ts'
import { mergeOptions, type OptionRules } from './options.ts'
import { splittingRecogniser } from './split-recording.ts'
import { VendorStream } from './vendor-stream.ts'

const VENDOR = 'AssemblyAI'
/** AssemblyAI uses the second model if the first does not support the language. */
const MODELS = ['universal-3-pro', 'universal-2']
const RESERVED = ['audio_url', 'webhook_url', 'webhook_auth_header_name', 'webhook_auth_header_value', 'multichannel', 'dual_channel']
/** Language detection fails on silence. We treat that as a transcript without words. */
const NOTHING_SAID = /no spoken audio/i

export function assemblyai(endpoint: Endpoint, retryPolicy?: RetryPolicy): Recogniser {
  const client = createClient({ vendor: VENDOR, endpoint, headers: { authorization: endpoint.apiKey }, retryPolicy })
  return splittingRecogniser(async (audio, options, signal) => {
    const upload = audioUpload(audio, 'application/octet-stream')
    const audio_url = await client.json({ path: '/v2/upload', upload }, (answer) => answer.at('upload_url').text(), signal)
    const request = jsonUpload({ ...bodyOf(options), audio_url })
    const id = await client.json({ path: '/v2/transcript', upload: request }, (answer) => answer.at('id').text(), signal)
    const result = { path: `/v2/transcript/${encodeURIComponent(id)}` }
    return poll(client, audio.seconds, () => client.json(result, readRecognition, signal), signal)
  })
}

function bodyOf(options: JsonObject): JsonObject {
  const { model, ...rest } = options
  // The older option `speech_model` excludes `speech_models`.
  const defaults = 'speech_model' in rest ? {} : { speech_models: typeof model === 'string' ? [model] : MODELS }
  return mergeOptions(rest, { defaults, renamed: { language: 'language_code' }, auto: { language_detection: true }, reserved: RESERVED })
}

/** Null: the transcript is not ready yet. */
function readRecognition(answer: JsonValue): Recognition | null {
  const status = answer.at('status').text()
  const raw = answer.value
  if (status === 'queued' || status === 'processing') return null
  if (status === 'completed') return { utterances: toUtterances(readWords(answer), answer.at('text').textOrNull() ?? ''), raw }
  const reason = answer.at('error').textOrNull() ?? `the transcript is ${status}`
  if (NOTHING_SAID.test(reason)) return { utterances: [], raw }
  throw new SpeechFailed(`${VENDOR} failed: ${sentenceOf(reason)}`, { retryable: false })
}

/** Live turns have the same word format. */
function readWords(answer: JsonValue): VendorWord[] {
  return answer
    .at('words')
    .listIfAny()
    .map((word) => ({
      text: word.at('text').text(),
      start: inSeconds(word.at('start').numberOrNull()),
      end: inSeconds(word.at('end').numberOrNull()),
      confidence: word.at('confidence').numberOrNull(),
    }))
}

function inSeconds(ms: number | null): number | null {
  return ms === null ? null : ms / 1000
}

const LIVE_RULES: OptionRules = {
  defaults: { speech_model: 'u3-rt-pro' },
  renamed: { model: 'speech_model' },
  reserved: ['sample_rate', 'encoding', 'webhook_url', 'webhook_auth_header_name', 'webhook_auth_header_value'],
}

/** Errors of the key, the account, the format or the options, which a retry does not fix. */
const FINAL_CODES = new Set([1008, 3006, 4000, 4001, 4002, 4003, 4100, 4101])

export function assemblyaiStreaming(endpoint: Endpoint, timing?: LiveTiming): LiveRecogniser {
  return {
    open(handler, options) {
      const { language, ...rest } = options
      const languages = typeof language === 'string' && !isAuto(language) ? { language_codes: [language] } : {}
      const wanted = { ...languages, ...mergeOptions(rest, LIVE_RULES), sample_rate: 16_000, encoding: 'pcm_s16le' }
      const query = Object.entries(wanted).map(([name, value]): [string, string] => [name, asQuery(value)])
      const isFormatted = options.format_turns === true || options.format_turns === 'true'
      const protocol = {
        vendor: VENDOR,
        url: socketUrl(endpoint.baseUrl, '/v3/ws', query),
        headers: { authorization: endpoint.apiKey },
        secret: endpoint.apiKey,
        messages: { keepAlive: '{"type":"KeepAlive"}', flush: '{"type":"ForceEndpoint"}', close: '{"type":"Terminate"}' },
        finalCodes: FINAL_CODES,
        createReader: () => (message: JsonValue) => readLive(message, isFormatted),
      }
      return new VendorStream(protocol, handler, timing)
    },
  }
}

/** AssemblyAI expects lists as JSON. */
function asQuery(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function readLive(message: JsonValue, isFormatted: boolean): readonly LiveEvent[] {
  const type = message.at('type').value
  if (type === 'Termination') return [{ kind: 'done' }]
  if (type === 'Error' || (type === undefined && message.at('error').value !== undefined)) {
    const retryable = !FINAL_CODES.has(Number(message.at('error_code').value))
    return [{ kind: 'refused', reason: message.at('error').textOrNull() ?? 'an error without a reason', retryable }]
  }
  if (type !== 'Turn') return []
  const words = readWords(message)
  // With formatted turns, the end of a turn comes twice, and the formatted one is final.
  const final = message.at('end_of_turn').isTrue && (!isFormatted || message.at('turn_is_formatted').isTrue)
  return words.length === 0 ? [] : [{ kind: 'words', words, transcript: message.at('transcript').text(), final }]
}
