// OpenAI after the call, and every server with its API: one form request with at most 25 MB of audio.
import type { JsonObject } from '../../domain/bot.ts'
import { createClient, type Endpoint, type RetryPolicy } from '../http/client.ts'
import type { JsonValue } from '../http/json-value.ts'
import { formUpload } from '../http/upload.ts'
import type { Recogniser, Recognition } from '../provider.ts'
import { spread, toUtterances, type VendorWord } from '../utterances.ts'
import { asPairs, mergeOptions } from './options.ts'
import { MOST_BYTES_PER_SECOND, splittingRecogniser, type Transcribe } from './split-recording.ts'

const MOST_BYTES = 25_000_000
const RULES = { defaults: { model: 'whisper-1' }, reserved: ['response_format', 'timestamp_granularities', 'stream'] }

type Shape = {
  readonly models: RegExp
  /** The options that select the format of the answer. */
  readonly format: JsonObject
  readonly mostSeconds: number
}

/** The format of each model's answer. Models without times get short pieces, so that estimated word times stay close. */
const SHAPES: readonly Shape[] = [
  {
    models: /^gpt-.*diarize/,
    format: { response_format: 'diarized_json', chunking_strategy: 'auto' },
    mostSeconds: MOST_BYTES / MOST_BYTES_PER_SECOND,
  },
  { models: /^gpt-/, format: { response_format: 'json' }, mostSeconds: 60 },
  {
    models: /^/,
    format: { response_format: 'verbose_json', timestamp_granularities: ['word', 'segment'] },
    mostSeconds: MOST_BYTES / MOST_BYTES_PER_SECOND,
  },
]

export function openai(endpoint: Endpoint, retryPolicy?: RetryPolicy): Recogniser {
  const headers = { authorization: `Bearer ${endpoint.apiKey}` }
  const client = createClient({ vendor: 'OpenAI', endpoint, headers, retryPolicy })
  const transcribe: Transcribe = (audio, given, signal) => {
    const options = mergeOptions(given, RULES)
    const fields = asPairs({ ...shapeOf(options).format, ...options }, (name) => `${name.replace(/\[\]$/, '')}[]`)
    const call = { path: '/audio/transcriptions', upload: formUpload(fields, audio) }
    return client.json(call, (answer) => readRecognition(answer, audio.seconds), signal)
  }
  return splittingRecogniser(transcribe, (given) => shapeOf(mergeOptions(given, RULES)).mostSeconds)
}

function shapeOf({ model }: JsonObject): Pick<Shape, 'format' | 'mostSeconds'> {
  return SHAPES.find(({ models }) => models.test(String(model))) ?? { format: {}, mostSeconds: 60 }
}

function readRecognition(answer: JsonValue, seconds: number): Recognition {
  const text = answer.at('text').text()
  return { utterances: toUtterances(readWords(answer, text, seconds), text), raw: answer.value }
}

/** Uses word times where they exist. Otherwise spreads the words over their segment or over the whole audio. */
function readWords(answer: JsonValue, text: string, seconds: number): VendorWord[] {
  const segments = answer
    .at('segments')
    .listIfAny()
    .map((segment) => readSegment(segment, seconds))
  const words = answer.at('words').listIfAny()
  if (words.length > 0) return words.map((word) => readWord(word, segments))
  if (segments.length > 0) return segments.flatMap(({ text, start, end, confidence }) => spread(text, start, end, confidence))
  return spread(text, 0, seconds)
}

type Segment = { readonly text: string; readonly start: number; readonly end: number; readonly confidence: number | null }

function readSegment(segment: JsonValue, seconds: number): Segment {
  const likelihood = segment.at('avg_logprob').numberOrNull()
  return {
    text: segment.at('text').text(),
    start: segment.at('start').number(),
    end: segment.at('end').numberOrNull() ?? seconds,
    confidence: likelihood === null ? null : Math.exp(likelihood),
  }
}

function readWord(word: JsonValue, segments: readonly Segment[]): VendorWord {
  const start = word.at('start').numberOrNull()
  const around = start === null ? undefined : segments.find((segment) => segment.start <= start && start <= segment.end)
  const end = word.at('end').numberOrNull()
  return { text: word.at('word').text(), start, end, confidence: around?.confidence ?? null }
}
