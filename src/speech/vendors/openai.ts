// OpenAI after the call, and every server with its API: one form request with at most 25 MB of audio.
import type { JsonObject } from '../../domain/bot.ts'
import { createClient, type Endpoint, type RetryPolicy, readAnswer } from '../http/client.ts'
import { asFields, asList, asNumber, asText, type Fields, orNull } from '../http/json-fields.ts'
import { formUpload } from '../http/upload.ts'
import type { Recogniser } from '../provider.ts'
import { spread, toUtterances, type VendorWord } from '../utterances.ts'
import { asPairs, mergeOptions } from './options.ts'
import { MOST_BYTES_PER_SECOND, splittingRecogniser } from './split-recording.ts'

const VENDOR = 'OpenAI'
const MOST_BYTES = 25_000_000
const RESERVED = ['response_format', 'timestamp_granularities', 'stream']

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
  const client = createClient({ vendor: VENDOR, endpoint, headers, ...(retryPolicy && { retryPolicy }) })
  return splittingRecogniser((given) => {
    const options = mergeOptions(given, { defaults: { model: 'whisper-1' }, reserved: RESERVED })
    const { format, mostSeconds } = shapeOf(options.model)
    const fields = asPairs({ ...format, ...options }, (name) => `${name.replace(/\[\]$/, '')}[]`)
    return {
      mostSeconds,
      async transcribe(audio, _, signal) {
        const deadlineMs = client.retryPolicy.audioRequestMs(audio.seconds)
        const raw = await client.json({ path: '/audio/transcriptions', upload: formUpload(fields, audio), deadlineMs }, signal)
        return readAnswer(VENDOR, () => {
          const answer = asFields(raw, 'answer')
          const text = asText(answer.text, 'text')
          return { utterances: toUtterances(readWords(answer, text, audio.seconds), text), raw }
        })
      },
    }
  })
}

function shapeOf(model: unknown): Pick<Shape, 'format' | 'mostSeconds'> {
  return SHAPES.find(({ models }) => models.test(String(model))) ?? { format: {}, mostSeconds: 60 }
}

/** Uses word times where they exist. Otherwise spreads the words over their segment or over the whole audio. */
function readWords(answer: Fields, text: string, seconds: number): VendorWord[] {
  const segments = (orNull(asList)(answer.segments, 'segments') ?? []).map((value, index) =>
    readSegment(value, `segments[${index}]`, seconds),
  )
  const words = orNull(asList)(answer.words, 'words') ?? []
  if (words.length > 0) return words.map((value, index) => readWord(value, `words[${index}]`, segments))
  if (segments.length > 0) return segments.flatMap(({ text, start, end, confidence }) => spread(text, start, end, confidence))
  return spread(text, 0, seconds)
}

type Segment = { readonly text: string; readonly start: number; readonly end: number; readonly confidence: number | null }

function readSegment(value: unknown, place: string, seconds: number): Segment {
  const segment = asFields(value, place)
  const likelihood = orNull(asNumber)(segment.avg_logprob, `${place}.avg_logprob`)
  return {
    text: asText(segment.text, `${place}.text`),
    start: asNumber(segment.start, `${place}.start`),
    end: orNull(asNumber)(segment.end, `${place}.end`) ?? seconds,
    confidence: likelihood === null ? null : Math.exp(likelihood),
  }
}

function readWord(value: unknown, place: string, segments: readonly Segment[]): VendorWord {
  const word = asFields(value, place)
  const start = orNull(asNumber)(word.start, `${place}.start`)
  const around = start === null ? undefined : segments.find((segment) => segment.start <= start && start <= segment.end)
  const end = orNull(asNumber)(word.end, `${place}.end`)
  return { text: asText(word.word, `${place}.word`), start, end, confidence: around?.confidence ?? null }
}
