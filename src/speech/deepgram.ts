// Deepgram after the call: the sound is sent as it is, and the answer of the same request has its words.
import type { JsonObject } from '../domain/bot.ts'
import { asFields, asList, asNumber, asText, type Fields, orNull } from './answer.ts'
import { createClient, type Endpoint, type Patience, readable } from './http.ts'
import { asPairs, mergeOptions } from './options.ts'
import { recogniserInPieces } from './pieces.ts'
import type { Recogniser } from './provider.ts'
import { soundUpload } from './upload.ts'
import { type SpokenWord, toUtterances } from './utterances.ts'

export const DEEPGRAM_DEFAULTS: JsonObject = { model: 'nova-3', punctuate: true, smart_format: true }
export const DEEPGRAM_OURS = ['callback', 'callback_method', 'url', 'encoding', 'sample_rate', 'channels', 'multichannel', 'container']
const RULES = { defaults: DEEPGRAM_DEFAULTS, auto: { detect_language: true }, ours: DEEPGRAM_OURS }

export function deepgram(endpoint: Endpoint, patience?: Patience): Recogniser {
  const headers = { authorization: `Token ${endpoint.apiKey}` }
  const client = createClient({ vendor: 'Deepgram', endpoint, headers, ...(patience && { patience }) })
  return recogniserInPieces(() => ({
    mostSeconds: null,
    async hear(sound, options, signal) {
      const query = asPairs(mergeOptions(options, RULES))
      const deadlineMs = client.patience.hearingMs(sound.seconds)
      const raw = await client.json({ path: '/v1/listen', query, upload: soundUpload(sound), deadlineMs }, signal)
      return readable('Deepgram', () => {
        const results = asFields(asFields(raw, 'answer').results, 'results')
        const channel = asFields(asList(results.channels, 'results.channels')[0], 'results.channels[0]')
        const { words, transcript } = readAlternative(channel, 'results.channels[0]')
        return { utterances: toUtterances(words, transcript), raw }
      })
    },
  }))
}

/** The best alternative of a channel; live results have the same shape. */
export function readAlternative(channel: Fields, place: string): { words: SpokenWord[]; transcript: string } {
  const at = `${place}.alternatives[0]`
  const best = asFields(asList(channel.alternatives, `${place}.alternatives`)[0], at)
  const words = orNull(asList)(best.words, `${at}.words`) ?? []
  return {
    transcript: asText(best.transcript, `${at}.transcript`),
    words: words.map((word, index) => readWord(word, `${at}.words[${index}]`)),
  }
}

function readWord(value: unknown, place: string): SpokenWord {
  const word = asFields(value, place)
  return {
    text: orNull(asText)(word.punctuated_word, `${place}.punctuated_word`) ?? asText(word.word, `${place}.word`),
    start: orNull(asNumber)(word.start, `${place}.start`),
    end: orNull(asNumber)(word.end, `${place}.end`),
    confidence: orNull(asNumber)(word.confidence, `${place}.confidence`),
  }
}
