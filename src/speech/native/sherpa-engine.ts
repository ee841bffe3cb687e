// Any model that sherpa-onnx runs, as an engine. Some give times for their tokens; where one gives none, words share the time of the voice.
import sherpa from 'sherpa-onnx-node'
import { type Engine, SAMPLES_PER_SECOND, type Stretch, secondsOf } from './engine.ts'
import { readOwnModel } from './own-model.ts'
import { type Piece, withinVoice, wordsOf } from './words.ts'

type Result = {
  readonly text: string
  readonly tokens: readonly string[]
  readonly timestamps: readonly number[]
  readonly durations: readonly number[]
  readonly logProbabilities: readonly number[]
}

export async function loadSherpa(folder: string, threads: number): Promise<Engine> {
  const { name, config } = await readOwnModel(folder)
  const recogniser = await sherpa.OfflineRecognizer.createAsync({
    featConfig: { sampleRate: SAMPLES_PER_SECOND, featureDim: 80 },
    modelConfig: { ...config, numThreads: threads, provider: 'cpu', debug: 0 },
  })
  const hear: Engine['hear'] = async (stretch, signal) => {
    const stream = recogniser.createStream()
    stream.acceptWaveform({ samples: stretch.samples, sampleRate: SAMPLES_PER_SECOND })
    const result = readResult(await recogniser.decodeAsync(stream))
    return signal.aborted ? null : wordsOf(piecesOf(result, stretch), stretch.voice)
  }
  return { name, hear, followGrowing: () => hear }
}

export function piecesOf(result: Result, stretch: Stretch): readonly Piece[] {
  const { text, tokens, timestamps } = result
  const isTimed = tokens.length > 0 && timestamps.length === tokens.length
  return isTimed ? timedPieces(result, secondsOf(stretch)) : spreadWords(text, stretch)
}

/** A token lasts as long as it says, or until the next one begins. */
function timedPieces({ tokens, timestamps, durations, logProbabilities }: Result, seconds: number): readonly Piece[] {
  return tokens.map((token, at) => {
    const start = timestamps[at] ?? 0
    const lasted = durations[at]
    const end = lasted ? start + lasted : (timestamps[at + 1] ?? seconds)
    return { text: token.replaceAll('▁', ' '), start, end, logProbability: logProbabilities[at] ?? 0 }
  })
}

/** Longer words take longer. No model here that gives no times says how sure it is, so each word counts as certain. */
function spreadWords(text: string, stretch: Stretch): readonly Piece[] {
  const words = text.split(/\s+/).filter((word) => word !== '')
  const { start, end } = withinVoice({ start: 0, end: secondsOf(stretch) }, stretch.voice)
  const letters = words.reduce((sum, word) => sum + word.length, 0)
  let said = 0
  return words.map((word) => {
    const from = start + ((end - start) * said) / letters
    said += word.length
    return { text: ` ${word}`, start: from, end: start + ((end - start) * said) / letters, logProbability: 0 }
  })
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
