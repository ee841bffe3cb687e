// AssemblyAI live: a turn grows in interim results until it ends.
import { isAuto } from '../../domain/speech-languages.ts'
import type { Endpoint } from '../http/client.ts'
import { asText, type Fields, orNull } from '../http/json-fields.ts'
import type { LiveRecogniser } from '../provider.ts'
import { readWords } from './assemblyai.ts'
import { type LiveEvent, type LiveTiming, socketUrl } from './live-protocol.ts'
import { mergeOptions, type OptionRules } from './options.ts'
import { VendorStream } from './vendor-stream.ts'

const RULES: OptionRules = {
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
      const wanted = { ...languages, ...mergeOptions(rest, RULES), sample_rate: 16_000, encoding: 'pcm_s16le' }
      const query = Object.entries(wanted).map(([name, value]): [string, string] => [name, asQuery(value)])
      const isFormatted = options.format_turns === true || options.format_turns === 'true'
      const protocol = {
        vendor: 'AssemblyAI',
        url: socketUrl(endpoint.baseUrl, '/v3/ws', query),
        headers: { authorization: endpoint.apiKey },
        secret: endpoint.apiKey,
        messages: { keepAlive: '{"type":"KeepAlive"}', flush: '{"type":"ForceEndpoint"}', close: '{"type":"Terminate"}' },
        finalCodes: FINAL_CODES,
        createReader: () => (message: Fields) => read(message, isFormatted),
      }
      return new VendorStream(protocol, handler, timing)
    },
  }
}

/** AssemblyAI expects lists as JSON. */
function asQuery(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function read(message: Fields, isFormatted: boolean): readonly LiveEvent[] {
  if (message.type === 'Termination') return [{ kind: 'done' }]
  if (message.type === 'Error' || (message.type === undefined && 'error' in message)) {
    const retryable = !FINAL_CODES.has(Number(message.error_code))
    return [{ kind: 'refused', reason: orNull(asText)(message.error, 'error') ?? 'an error without a reason', retryable }]
  }
  if (message.type !== 'Turn') return []
  const words = readWords(message.words)
  // With formatted turns, the end of a turn comes twice, and the formatted one is final.
  const final = message.end_of_turn === true && (!isFormatted || message.turn_is_formatted === true)
  return words.length === 0 ? [] : [{ kind: 'words', words, transcript: asText(message.transcript, 'transcript'), final }]
}
