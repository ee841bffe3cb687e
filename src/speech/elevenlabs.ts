// ElevenLabs after the call: a form with the sound, and the answer of the same request has its words and what lies between them.
import { asFields, asList, asNumber, asText, orNull } from './answer.ts'
import { createClient, type Endpoint, type Patience, readable } from './http.ts'
import { asPairs, mergeOptions, type OptionRules } from './options.ts'
import { recogniserInPieces } from './pieces.ts'
import type { Recogniser } from './provider.ts'
import { formUpload } from './upload.ts'
import { type SpokenWord, toUtterances } from './utterances.ts'

const VENDOR = 'ElevenLabs'

const RULES: OptionRules = {
  defaults: { model_id: 'scribe_v2', tag_audio_events: false },
  renamed: { model: 'model_id', language: 'language_code' },
  ours: [
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

export function elevenlabs(endpoint: Endpoint, patience?: Patience): Recogniser {
  const client = createClient({ vendor: VENDOR, endpoint, headers: { 'xi-api-key': endpoint.apiKey }, ...(patience && { patience }) })
  return recogniserInPieces((given) => {
    // The only one of their options that belongs into the address.
    const { enable_logging, ...options } = mergeOptions(given, RULES)
    const query = enable_logging === undefined ? [] : asPairs({ enable_logging })
    const fields = asPairs({ ...options, timestamps_granularity: 'word' })
    return {
      mostSeconds: null,
      async hear(sound, _, signal) {
        const deadlineMs = client.patience.hearingMs(sound.seconds)
        const raw = await client.json({ path: '/v1/speech-to-text', query, upload: formUpload(fields, sound), deadlineMs }, signal)
        return readable(VENDOR, () => {
          const answer = asFields(raw, 'answer')
          const text = asText(answer.text, 'text')
          const words = orNull(asList)(answer.words, 'words') ?? []
          return { utterances: toUtterances(words.flatMap(readWord), text), raw }
        })
      },
    }
  })
}

/** Blanks and noises are told like words, and are none. */
function readWord(value: unknown, index: number): SpokenWord[] {
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
