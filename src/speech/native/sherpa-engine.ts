// An engine for every model that sherpa-onnx runs. Where a model gives no token times, words are spread over the voiced time.
import sherpa from 'sherpa-onnx-node'
import { spread } from '../utterances.ts'
import { type Engine, type SpeechSegment, secondsOf } from './engine.ts'
import { readOwnModel } from './own-model.ts'
import { SAMPLES_PER_SECOND } from './samples.ts'
import { type WordPart, withinVoice, wordsOf } from './words.ts'

type Result = {
  readonly text: string
  readonly tokens: readonly string[]
  readonly timestamps: readonly number[]
  readonly durations: readonly number[]
  readonly logProbabilities: readonly number[]
}

export async function loadSherpa(folder: string): Promise<Engine> {
  const { name, config } = await readOwnModel(folder)
  const recogniser = await sherpa.OfflineRecognizer.createAsync({
    featConfig: { sampleRate: SAMPLES_PER_SECOND, featureDim: 80 },
    modelConfig: { ...config, numThreads: 1, provider: 'cpu', debug: 0 },
  })
  const recognise: Engine['recognise'] = async (segment, signal) => {
    const stream = recogniser.createStream()
    stream.acceptWaveform({ samples: segment.samples, sampleRate: SAMPLES_PER_SECOND })
    const result = readResult(await recogniser.decodeAsync(stream))
    return signal.aborted ? null : wordsOf(partsOf(result, segment), segment.voice)
  }
  const recogniseAll: Engine['recogniseAll'] = async (segments, signal, onProgress) => {
    const all = []
    for (const segment of segments) {
      const words = await recognise(segment, signal)
      if (!words) return null
      onProgress()
      all.push(words)
    }
    return all
  }
  return { name, recognise, recogniseAll, growingRecogniser: () => recognise }
}

export function partsOf(result: Result, segment: SpeechSegment): readonly WordPart[] {
  const { text, tokens, timestamps } = result
  const isTimed = tokens.length > 0 && timestamps.length === tokens.length
  return isTimed ? timedParts(result, secondsOf(segment)) : spreadWords(text, segment)
}

/** A token lasts for its duration, or until the next one begins. */
function timedParts({ tokens, timestamps, durations, logProbabilities }: Result, seconds: number): readonly WordPart[] {
  return tokens.map((token, at) => {
    const start = timestamps[at] ?? 0
    const lasted = durations[at]
    const end = lasted ? start + lasted : (timestamps[at + 1] ?? seconds)
    return { text: token.replaceAll('▁', ' '), start, end, logProbability: logProbabilities[at] ?? 0 }
  })
}

/** Spreads words in proportion to their length. Models without times give no probabilities either, so each word has confidence 1. */
function spreadWords(text: string, segment: SpeechSegment): readonly WordPart[] {
  const voiced = withinVoice({ start: 0, end: secondsOf(segment) }, segment.voice)
  return spread(text, voiced.start, voiced.end).map((word) => ({
    text: ` ${word.text}`,
    start: word.start,
    end: word.end,
    logProbability: 0,
  }))
}

function readResult(answer: unknown): Result {
  const fields: Record<string, unknown> = typeof answer === 'object' && answer !== null ? { ...answer } : {}
  const list = <Item>(name: string, is: (item: unknown) => item is Item): readonly Item[] => {
    const value = fields[name]
    return Array.isArray(value) && value.every(is) ? value : []
  }
  return {
    text: String(fields.text ?? ''),
    tokens: list('tokens', isText),
    timestamps: list('timestamps', isNumber),
    durations: list('durations', isNumber),
    logProbabilities: list('ys_log_probs', isNumber),
  }
}

const isText = (item: unknown): item is string => typeof item === 'string'
const isNumber = (item: unknown): item is number => typeof item === 'number'
