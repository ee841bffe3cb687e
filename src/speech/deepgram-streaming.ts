// Deepgram while the meeting runs. It settles a few words at a time; an utterance is over when it says the speaker has stopped.
import { asFields, type Fields } from './answer.ts'
import { DEEPGRAM_DEFAULTS, DEEPGRAM_OURS, readAlternative } from './deepgram.ts'
import type { Endpoint } from './http.ts'
import { type LiveNews, type LiveTiming, socketUrl } from './live-protocol.ts'
import { LiveVoice } from './live-voice.ts'
import { asPairs, mergeOptions } from './options.ts'
import type { LiveRecogniser } from './provider.ts'
import type { SpokenWord } from './utterances.ts'

const OURS = [...DEEPGRAM_OURS, 'interim_results']
/** Somebody who does not pause is settled all the same. */
const LONGEST_SECONDS = 30
/** They could not read what we sent: it would be the same next time. */
const FINAL_CODES = new Set([1007, 1008])

export function deepgramStreaming(endpoint: Endpoint, timing?: LiveTiming): LiveRecogniser {
  return {
    open(ear, options) {
      // Live they detect no language, and understand several with one model.
      const wanted = mergeOptions(options, { defaults: DEEPGRAM_DEFAULTS, auto: { language: 'multi' }, ours: OURS })
      const query = asPairs({ ...wanted, interim_results: true, encoding: 'linear16', sample_rate: 16_000, channels: 1 })
      const protocol = {
        vendor: 'Deepgram',
        url: socketUrl(endpoint.baseUrl, '/v1/listen', query),
        headers: { authorization: `Token ${endpoint.apiKey}` },
        secret: endpoint.apiKey,
        says: { keepAlive: '{"type":"KeepAlive"}', flush: '{"type":"Finalize"}', close: '{"type":"CloseStream"}' },
        finalCodes: FINAL_CODES,
        listen,
      }
      return new LiveVoice(protocol, ear, timing)
    },
  }
}

function listen(): (message: Fields) => readonly LiveNews[] {
  let settled: readonly SpokenWord[] = []
  let text = ''
  const over = (words: readonly SpokenWord[], transcript: string): LiveNews[] => {
    ;[settled, text] = [[], '']
    return told(words, transcript, true)
  }
  const results = (message: Fields): LiveNews[] => {
    const { words, transcript } = readAlternative(asFields(message.channel, 'channel'), 'channel')
    const all = [...settled, ...words]
    const whole = `${text} ${transcript}`.trim()
    if (isOver(message, all)) return over(all, whole)
    if (message.is_final === true) [settled, text] = [all, whole]
    return words.length === 0 ? [] : told(all, whole, false)
  }
  const READERS: Readonly<Record<string, (message: Fields) => LiveNews[]>> = {
    Results: results,
    Metadata: () => [...over(settled, text), { kind: 'done' }],
    Error: (message) => [{ kind: 'refused', reason: String(message.description ?? message.message ?? 'an error'), passing: true }],
  }
  return (message) => {
    const type = String(message.type)
    return Object.hasOwn(READERS, type) ? (READERS[type]?.(message) ?? []) : []
  }
}

function told(words: readonly SpokenWord[], transcript: string, final: boolean): LiveNews[] {
  return words.length === 0 ? [] : [{ kind: 'words', words, transcript, final }]
}

/** They settle words while somebody goes on; the utterance is over at a pause, or when they were asked for the rest. */
function isOver(message: Fields, words: readonly SpokenWord[]): boolean {
  if (message.is_final !== true) return false
  const seconds = (words.at(-1)?.end ?? 0) - (words[0]?.start ?? 0)
  return message.speech_final === true || message.from_finalize === true || seconds > LONGEST_SECONDS
}
