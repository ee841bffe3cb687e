// ElevenLabs after the call: one form request uploads the audio and returns the words.
import { createClient, type Endpoint, type RetryPolicy } from '../http/client.ts'
import type { JsonValue } from '../http/json-value.ts'
import { formUpload } from '../http/upload.ts'
import type { Recogniser, Recognition } from '../provider.ts'
import { toUtterances, type VendorWord } from '../utterances.ts'
import { asPairs, mergeOptions, type OptionRules } from './options.ts'
import { splittingRecogniser } from './split-recording.ts'

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
  const client = createClient({ vendor: 'ElevenLabs', endpoint, headers: { 'xi-api-key': endpoint.apiKey }, retryPolicy })
  return splittingRecogniser((audio, given, signal) => {
    // The only option that ElevenLabs expects in the query.
    const { enable_logging, ...options } = mergeOptions(given, RULES)
    const query = enable_logging === undefined ? [] : asPairs({ enable_logging })
    const fields = asPairs({ ...options, timestamps_granularity: 'word' })
    return client.json({ path: '/v1/speech-to-text', query, upload: formUpload(fields, audio) }, readRecognition, signal)
  })
}

function readRecognition(answer: JsonValue): Recognition {
  const text = answer.at('text').text()
  return { utterances: toUtterances(answer.at('words').listIfAny().flatMap(readWord), text), raw: answer.value }
}

/** The list also has entries for blanks and audio events, which are skipped. */
function readWord(word: JsonValue): VendorWord[] {
  if (word.at('type').text() !== 'word') return []
  const likelihood = word.at('logprob').numberOrNull()
  return [
    {
      text: word.at('text').text(),
      start: word.at('start').numberOrNull(),
      end: word.at('end').numberOrNull(),
      confidence: likelihood === null ? null : Math.exp(likelihood),
    },
  ]
}
