// ElevenLabs after the call: one form request uploads the audio and returns the words.

import { createClient, type Endpoint, type RetryPolicy, readAnswer } from '../http/client.ts'
import { asFields, asList, asNumber, asText, orNull } from '../http/json-fields.ts'
import { formUpload } from '../http/upload.ts'
import type { Recogniser } from '../provider.ts'
import { toUtterances, type VendorWord } from '../utterances.ts'
import { asPairs, mergeOptions, type OptionRules } from './options.ts'
import { splittingRecogniser } from './split-recording.ts'

const VENDOR = 'ElevenLabs'

const RULES: OptionRules = {
  defaults: { model_id: 'scribe_v2', tag_audio_events: false },
  renamed: { model: 'model_id', language: 'language_code' },
  reserved: [
    'cloud_storage_url',
    'file_format',
    'multichannel_output_style',
    'source_url',
    'timestamps_granularity',
    'use_multi_channel',
    'webhook',
    'webhook_id',
    'webhook_metadata',
  ],
}

export function elevenlabs(endpoint: Endpoint, retryPolicy?: RetryPolicy): Recogniser {
  const client = createClient({ vendor: VENDOR, endpoint, headers: { 'xi-api-key': endpoint.apiKey }, ...(retryPolicy && { retryPolicy }) })
  return splittingRecogniser((given) => {
    // The only option that ElevenLabs expects in the query.
    const { enable_logging, ...options } = mergeOptions(given, RULES)
    const query = enable_logging === undefined ? [] : asPairs({ enable_logging })
    const fields = asPairs({ ...options, timestamps_granularity: 'word' })
    return {
      mostSeconds: null,
      async transcribe(audio, _, signal) {
        const deadlineMs = client.retryPolicy.audioRequestMs(audio.seconds)
        const raw = await client.json({ path: '/v1/speech-to-text', query, upload: formUpload(fields, audio), deadlineMs }, signal)
        return readAnswer(VENDOR, () => {
          const answer = asFields(raw, 'answer')
          const text = asText(answer.text, 'text')
          const words = orNull(asList)(answer.words, 'words') ?? []
          return { utterances: toUtterances(words.flatMap(readWord), text), raw }
        })
      },
    }
  })
}

/** The list also has entries for blanks and audio events, which are skipped. */
function readWord(value: unknown, index: number): VendorWord[] {
  const place = `words[${index}]`
  const word = asFields(value, place)
  if (asText(word.type, `${place}.type`) !== 'word') return []
  const likelihood = orNull(asNumber)(word.logprob, `${place}.logprob`)
  return [
    {
      text: asText(word.text, `${place}.text`),
      start: orNull(asNumber)(word.start, `${place}.start`),
      end: orNull(asNumber)(word.end, `${place}.end`),
      confidence: likelihood === null ? null : Math.exp(likelihood),
    },
  ]
}
