// OpenAI after the call, and every server that speaks its interface: a form with the sound, at most 25 MB of it.
import type { JsonObject } from '../domain/bot.ts'
import { asFields, asList, asNumber, asText, type Fields, orNull } from './answer.ts'
import { createClient, type Endpoint, type Patience, readable } from './http.ts'
import { asPairs, mergeOptions } from './options.ts'
import { MOST_BYTES_PER_SECOND, recogniserInPieces } from './pieces.ts'
import type { Recogniser } from './provider.ts'
import { formUpload } from './upload.ts'
import { type SpokenWord, spread, toUtterances } from './utterances.ts'

const VENDOR = 'OpenAI'
const MOST_BYTES = 25_000_000
const OURS = ['response_format', 'timestamp_granularities', 'stream']

type Shape = {
  readonly models: RegExp
  /** What is asked of the answer. */
  readonly format: JsonObject
  readonly mostSeconds: number
}

/** Which shape of answer a model has. Models without times get short pieces, so that a word is not far from where it was said. */
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

export function openai(endpoint: Endpoint, patience?: Patience): Recogniser {
  const headers = { authorization: `Bearer ${endpoint.apiKey}` }
  const client = createClient({ vendor: VENDOR, endpoint, headers, ...(patience && { patience }) })
  return recogniserInPieces((given) => {
    const options = mergeOptions(given, { defaults: { model: 'whisper-1' }, ours: OURS })
    const { format, mostSeconds } = shapeOf(options.model)
    const fields = asPairs({ ...format, ...options }, (name) => `${name.replace(/\[\]$/, '')}[]`)
    return {
      mostSeconds,
      async hear(sound, _, signal) {
        const deadlineMs = client.patience.hearingMs(sound.seconds)
        const raw = await client.json({ path: '/audio/transcriptions', upload: formUpload(fields, sound), deadlineMs }, signal)
        return readable(VENDOR, () => {
          const answer = asFields(raw, 'answer')
          const text = asText(answer.text, 'text')
          return { utterances: toUtterances(readWords(answer, text, sound.seconds), text), raw }
        })
      },
    }
  })
}

function shapeOf(model: unknown): Pick<Shape, 'format' | 'mostSeconds'> {
  return SHAPES.find(({ models }) => models.test(String(model))) ?? { format: {}, mostSeconds: 60 }
}

/** With their own times where there are any; else shared out over their segment, or over the whole sound. */
function readWords(answer: Fields, text: string, seconds: number): SpokenWord[] {
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

function readWord(value: unknown, place: string, segments: readonly Segment[]): SpokenWord {
  const word = asFields(value, place)
  const start = orNull(asNumber)(word.start, `${place}.start`)
  const around = start === null ? undefined : segments.find((segment) => segment.start <= start && start <= segment.end)
  const end = orNull(asNumber)(word.end, `${place}.end`)
  return { text: asText(word.word, `${place}.word`), start, end, confidence: around?.confidence ?? null }
}
