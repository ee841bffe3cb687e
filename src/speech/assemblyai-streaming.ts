// AssemblyAI while the meeting runs: turns that grow until they end.
import { isAuto } from '../domain/speech-languages.ts'
import { asText, type Fields, orNull } from './answer.ts'
import { readWords } from './assemblyai.ts'
import type { Endpoint } from './http.ts'
import { type LiveNews, type LiveTiming, socketUrl } from './live-protocol.ts'
import { LiveVoice } from './live-voice.ts'
import { mergeOptions, type OptionRules } from './options.ts'
import type { LiveRecogniser } from './provider.ts'

const RULES: OptionRules = {
  defaults: { speech_model: 'u3-rt-pro' },
  renamed: { model: 'speech_model' },
  ours: ['sample_rate', 'encoding', 'webhook_url', 'webhook_auth_header_name', 'webhook_auth_header_value'],
}

/** Key, account, format, options: none of them gets better by itself. */
const FINAL_CODES = new Set([1008, 3006, 4000, 4001, 4002, 4003, 4100, 4101])

export function assemblyaiStreaming(endpoint: Endpoint, timing?: LiveTiming): LiveRecogniser {
  return {
    open(ear, options) {
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
        says: { keepAlive: '{"type":"KeepAlive"}', flush: '{"type":"ForceEndpoint"}', close: '{"type":"Terminate"}' },
        finalCodes: FINAL_CODES,
        listen: () => (message: Fields) => read(message, isFormatted),
      }
      return new LiveVoice(protocol, ear, timing)
    },
  }
}

/** Lists are JSON here, where others repeat the name. */
function asQuery(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function read(message: Fields, isFormatted: boolean): readonly LiveNews[] {
  if (message.type === 'Termination') return [{ kind: 'done' }]
  if (message.type === 'Error' || (message.type === undefined && 'error' in message)) {
    const passing = !FINAL_CODES.has(Number(message.error_code))
    return [{ kind: 'refused', reason: orNull(asText)(message.error, 'error') ?? 'an error without a reason', passing }]
  }
  if (message.type !== 'Turn') return []
  const words = readWords(message.words)
  // Whoever asked for formatted turns gets the end of a turn twice, and the second one is it.
  const final = message.end_of_turn === true && (!isFormatted || message.turn_is_formatted === true)
  return words.length === 0 ? [] : [{ kind: 'words', words, transcript: asText(message.transcript, 'transcript'), final }]
}
