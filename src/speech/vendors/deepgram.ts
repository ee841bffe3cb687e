// Deepgram. After the call, one request uploads the audio and returns the words. Live, it finalises a few words at a time.
import type { JsonObject } from '../../domain/bot.ts'
import { createClient, type Endpoint, type RetryPolicy } from '../http/client.ts'
import type { JsonValue } from '../http/json-value.ts'
import { audioUpload } from '../http/upload.ts'
import type { LiveRecogniser, Recogniser, Recognition } from '../provider.ts'
import { toUtterances, type VendorWord } from '../utterances.ts'
import { type LiveEvent, type LiveTiming, socketUrl } from './live-protocol.ts'
import { asPairs, mergeOptions } from './options.ts'
import { splittingRecogniser } from './split-recording.ts'
import { VendorStream } from './vendor-stream.ts'

const DEFAULTS: JsonObject = { model: 'nova-3', punctuate: true, smart_format: true }
const RESERVED = ['callback', 'callback_method', 'url', 'encoding', 'sample_rate', 'channels', 'multichannel', 'container']
const RULES = { defaults: DEFAULTS, auto: { detect_language: true }, reserved: RESERVED }

export function deepgram(endpoint: Endpoint, retryPolicy?: RetryPolicy): Recogniser {
  const headers = { authorization: `Token ${endpoint.apiKey}` }
  const client = createClient({ vendor: 'Deepgram', endpoint, headers, retryPolicy })
  return splittingRecogniser((audio, options, signal) => {
    const query = asPairs(mergeOptions(options, RULES))
    return client.json({ path: '/v1/listen', query, upload: audioUpload(audio) }, readRecognition, signal)
  })
}

function readRecognition(answer: JsonValue): Recognition {
  const { words, transcript } = readAlternative(answer.at('results').at('channels').item(0))
  return { utterances: toUtterances(words, transcript), raw: answer.value }
}

/** The best alternative of a channel; live results have the same shape. */
function readAlternative(channel: JsonValue): { words: VendorWord[]; transcript: string } {
  const best = channel.at('alternatives').item(0)
  return { transcript: best.at('transcript').text(), words: best.at('words').listIfAny().map(readWord) }
}

function readWord(word: JsonValue): VendorWord {
  return {
    text: word.at('punctuated_word').textOrNull() ?? word.at('word').text(),
    start: word.at('start').numberOrNull(),
    end: word.at('end').numberOrNull(),
    confidence: word.at('confidence').numberOrNull(),
  }
}

/** An utterance without a pause is ended after this time. */
const LONGEST_SECONDS = 30
/** Deepgram could not decode our data, which a retry does not fix. */
const FINAL_CODES = new Set([1007, 1008])

export function deepgramStreaming(endpoint: Endpoint, timing?: LiveTiming): LiveRecogniser {
  return {
    open(handler, options) {
      // There is no live language detection, but `multi` understands several languages.
      const wanted = mergeOptions(options, { defaults: DEFAULTS, auto: { language: 'multi' }, reserved: [...RESERVED, 'interim_results'] })
      const query = asPairs({ ...wanted, interim_results: true, encoding: 'linear16', sample_rate: 16_000, channels: 1 })
      const protocol = {
        vendor: 'Deepgram',
        url: socketUrl(endpoint.baseUrl, '/v1/listen', query),
        headers: { authorization: `Token ${endpoint.apiKey}` },
        secret: endpoint.apiKey,
        messages: { keepAlive: '{"type":"KeepAlive"}', flush: '{"type":"Finalize"}', close: '{"type":"CloseStream"}' },
        finalCodes: FINAL_CODES,
        createReader,
      }
      return new VendorStream(protocol, handler, timing)
    },
  }
}

function createReader(): (message: JsonValue) => readonly LiveEvent[] {
  let finalWords: readonly VendorWord[] = []
  let text = ''
  const endUtterance = (words: readonly VendorWord[], transcript: string): LiveEvent[] => {
    ;[finalWords, text] = [[], '']
    return wordsEvent(words, transcript, true)
  }
  const results = (message: JsonValue): LiveEvent[] => {
    const { words, transcript } = readAlternative(message.at('channel'))
    const all = [...finalWords, ...words]
    const whole = `${text} ${transcript}`.trim()
    if (isOver(message, all)) return endUtterance(all, whole)
    if (message.at('is_final').isTrue) [finalWords, text] = [all, whole]
    return words.length === 0 ? [] : wordsEvent(all, whole, false)
  }
  return (message) => {
    const type = message.at('type').value
    if (type === 'Results') return results(message)
    if (type === 'Metadata') return [...endUtterance(finalWords, text), { kind: 'done' }]
    if (type !== 'Error') return []
    const reason = message.at('description').value ?? message.at('message').value ?? 'an error'
    return [{ kind: 'refused', reason: String(reason), retryable: true }]
  }
}

function wordsEvent(words: readonly VendorWord[], transcript: string, final: boolean): LiveEvent[] {
  return words.length === 0 ? [] : [{ kind: 'words', words, transcript, final }]
}

/** Words become final before the utterance ends. It ends at a pause, or after a flush message. */
function isOver(message: JsonValue, words: readonly VendorWord[]): boolean {
  if (!message.at('is_final').isTrue) return false
  const seconds = (words.at(-1)?.end ?? 0) - (words[0]?.start ?? 0)
  return message.at('speech_final').isTrue || message.at('from_finalize').isTrue || seconds > LONGEST_SECONDS
}
