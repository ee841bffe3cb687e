// Deepgram live: finalises a few words at a time, and marks the end of the utterance when the speaker pauses.

import type { Endpoint } from '../http/client.ts'
import { asFields, type Fields } from '../http/json-fields.ts'
import type { LiveRecogniser } from '../provider.ts'
import type { VendorWord } from '../utterances.ts'
import { DEEPGRAM_DEFAULTS, DEEPGRAM_RESERVED, readAlternative } from './deepgram.ts'
import { type LiveEvent, type LiveTiming, socketUrl } from './live-protocol.ts'
import { asPairs, mergeOptions } from './options.ts'
import { VendorStream } from './vendor-stream.ts'

const RESERVED = [...DEEPGRAM_RESERVED, 'interim_results']
/** An utterance without a pause is ended after this time. */
const LONGEST_SECONDS = 30
/** Deepgram could not decode our data, which a retry does not fix. */
const FINAL_CODES = new Set([1007, 1008])

export function deepgramStreaming(endpoint: Endpoint, timing?: LiveTiming): LiveRecogniser {
  return {
    open(handler, options) {
      // There is no live language detection, but `multi` understands several languages.
      const wanted = mergeOptions(options, { defaults: DEEPGRAM_DEFAULTS, auto: { language: 'multi' }, reserved: RESERVED })
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

function createReader(): (message: Fields) => readonly LiveEvent[] {
  let finalWords: readonly VendorWord[] = []
  let text = ''
  const endUtterance = (words: readonly VendorWord[], transcript: string): LiveEvent[] => {
    ;[finalWords, text] = [[], '']
    return wordsEvent(words, transcript, true)
  }
  const results = (message: Fields): LiveEvent[] => {
    const { words, transcript } = readAlternative(asFields(message.channel, 'channel'), 'channel')
    const all = [...finalWords, ...words]
    const whole = `${text} ${transcript}`.trim()
    if (isOver(message, all)) return endUtterance(all, whole)
    if (message.is_final === true) [finalWords, text] = [all, whole]
    return words.length === 0 ? [] : wordsEvent(all, whole, false)
  }
  const READERS: Readonly<Record<string, (message: Fields) => LiveEvent[]>> = {
    Results: results,
    Metadata: () => [...endUtterance(finalWords, text), { kind: 'done' }],
    Error: (message) => [{ kind: 'refused', reason: String(message.description ?? message.message ?? 'an error'), retryable: true }],
  }
  return (message) => {
    const type = String(message.type)
    return Object.hasOwn(READERS, type) ? (READERS[type]?.(message) ?? []) : []
  }
}

function wordsEvent(words: readonly VendorWord[], transcript: string, final: boolean): LiveEvent[] {
  return words.length === 0 ? [] : [{ kind: 'words', words, transcript, final }]
}

/** Words become final before the utterance ends. It ends at a pause, or after a flush message. */
function isOver(message: Fields, words: readonly VendorWord[]): boolean {
  if (message.is_final !== true) return false
  const seconds = (words.at(-1)?.end ?? 0) - (words[0]?.start ?? 0)
  return message.speech_final === true || message.from_finalize === true || seconds > LONGEST_SECONDS
}
