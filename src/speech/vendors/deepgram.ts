// Deepgram after the call: one request uploads the audio and returns the words.
import type { JsonObject } from '../../domain/bot.ts'
import { createClient, type Endpoint, type RetryPolicy, readAnswer } from '../http/client.ts'
import { asFields, asList, asNumber, asText, type Fields, orNull } from '../http/json-fields.ts'
import { audioUpload } from '../http/upload.ts'
import type { Recogniser } from '../provider.ts'
import { toUtterances, type VendorWord } from '../utterances.ts'
import { asPairs, mergeOptions } from './options.ts'
import { splittingRecogniser } from './split-recording.ts'

export const DEEPGRAM_DEFAULTS: JsonObject = { model: 'nova-3', punctuate: true, smart_format: true }
export const DEEPGRAM_RESERVED = ['callback', 'callback_method', 'url', 'encoding', 'sample_rate', 'channels', 'multichannel', 'container']
const RULES = { defaults: DEEPGRAM_DEFAULTS, auto: { detect_language: true }, reserved: DEEPGRAM_RESERVED }

export function deepgram(endpoint: Endpoint, retryPolicy?: RetryPolicy): Recogniser {
  const headers = { authorization: `Token ${endpoint.apiKey}` }
  const client = createClient({ vendor: 'Deepgram', endpoint, headers, ...(retryPolicy && { retryPolicy }) })
  return splittingRecogniser(() => ({
    mostSeconds: null,
    async transcribe(audio, options, signal) {
      const query = asPairs(mergeOptions(options, RULES))
      const deadlineMs = client.retryPolicy.audioRequestMs(audio.seconds)
      const raw = await client.json({ path: '/v1/listen', query, upload: audioUpload(audio), deadlineMs }, signal)
      return readAnswer('Deepgram', () => {
        const results = asFields(asFields(raw, 'answer').results, 'results')
        const channel = asFields(asList(results.channels, 'results.channels')[0], 'results.channels[0]')
        const { words, transcript } = readAlternative(channel, 'results.channels[0]')
        return { utterances: toUtterances(words, transcript), raw }
      })
    },
  }))
}

/** The best alternative of a channel; live results have the same shape. */
export function readAlternative(channel: Fields, place: string): { words: VendorWord[]; transcript: string } {
  const at = `${place}.alternatives[0]`
  const best = asFields(asList(channel.alternatives, `${place}.alternatives`)[0], at)
  const words = orNull(asList)(best.words, `${at}.words`) ?? []
  return {
    transcript: asText(best.transcript, `${at}.transcript`),
    words: words.map((word, index) => readWord(word, `${at}.words[${index}]`)),
  }
}

function readWord(value: unknown, place: string): VendorWord {
  const word = asFields(value, place)
  return {
    text: orNull(asText)(word.punctuated_word, `${place}.punctuated_word`) ?? asText(word.word, `${place}.word`),
    start: orNull(asNumber)(word.start, `${place}.start`),
    end: orNull(asNumber)(word.end, `${place}.end`),
    confidence: orNull(asNumber)(word.confidence, `${place}.confidence`),
  }
}
