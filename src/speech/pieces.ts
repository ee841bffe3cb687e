// A recording as vendors want it: mono FLAC at 16 kHz, in as many pieces as their limits ask for, cut where nobody speaks.
import { createReadStream } from 'node:fs'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runProcess } from '../kit/process.ts'
import { type Heard, type Recogniser, SpeechFailed, type Utterance } from './provider.ts'
import type { Sound } from './upload.ts'

type Source = Parameters<Recogniser['transcribe']>[0]
type Options = Parameters<Recogniser['transcribe']>[1]
type Span = { readonly start: number; readonly end: number }
type Piece = { readonly sound: Sound; readonly start: number }

export type PieceRules = {
  /** Of a piece. Null: the vendor takes any length. */
  readonly mostSeconds: number | null
  hear(sound: Sound, options: Options, signal: AbortSignal): Promise<Heard>
}

/** FLAC is never larger than this, whatever the sound is; so a limit in bytes is one in seconds. */
export const MOST_BYTES_PER_SECOND = 32_500
/** ffmpeg converts an hour in a few seconds; the rest is for a busy machine. */
const CONVERTING_MS = 10 * 60_000
const SILENCE = 'silencedetect=noise=-45dB:duration=0.4'

/** A recogniser that hears a recording piece by piece, in order. The times are those of the whole. */
export function recogniserInPieces(rules: (options: Options) => PieceRules): Recogniser {
  return {
    async transcribe(source, options, signal) {
      const { mostSeconds, hear } = rules(options)
      const folder = await mkdtemp(join(tmpdir(), 'emissary-speech-'))
      try {
        const pieces = await cut(source, mostSeconds, folder, signal)
        const heard: Heard[] = []
        for (const { sound, start } of pieces) heard.push(shifted(await hear(sound, options, signal), start))
        const raws = heard.map(({ raw }) => raw)
        return { utterances: heard.flatMap(({ utterances }) => utterances), raw: raws.length === 1 ? raws[0] : raws }
      } finally {
        await rm(folder, { recursive: true, force: true })
      }
    },
  }
}

async function cut(source: Source, mostSeconds: number | null, folder: string, signal: AbortSignal): Promise<readonly Piece[]> {
  const whole = join(folder, 'whole.flac')
  // Where a recording has holes, the words after them would come too early.
  await convert(['-i', source.file, '-map', '0:a:0', '-af', 'aresample=async=1', '-ar', '16000', '-ac', '1', whole], signal)
  if (mostSeconds === null || source.seconds <= mostSeconds) return [{ sound: await soundOf(whole, source.seconds), start: 0 }]
  const silences = await silencesIn(whole, signal)
  const pieces: Piece[] = []
  for (const [index, { start, end }] of spans(source.seconds, mostSeconds, silences).entries()) {
    // Some recognisers hear words where there are none.
    if (silences.some((silence) => silence.start <= start && silence.end >= end)) continue
    const file = join(folder, `piece-${index}.flac`)
    await convert(['-ss', String(start), '-t', String(end - start), '-i', whole, file], signal)
    pieces.push({ sound: await soundOf(file, end - start), start })
  }
  return pieces
}

/** Each cut is in the latest silence that still keeps the piece short enough, and at least half as long as it may be. */
export function spans(seconds: number, mostSeconds: number, silences: readonly Span[]): Span[] {
  const found: Span[] = []
  for (let start = 0; start < seconds; ) {
    const latest = start + mostSeconds
    const earliest = start + mostSeconds / 2
    const quiet = silences.findLast((silence) => silence.start < latest && silence.end > earliest)
    const middle = quiet && (Math.max(quiet.start, earliest) + Math.min(quiet.end, latest)) / 2
    const end = latest >= seconds ? seconds : (middle ?? latest)
    found.push({ start, end })
    start = end
  }
  return found
}

async function silencesIn(file: string, signal: AbortSignal): Promise<Span[]> {
  const printed = ['start', 'end'].map((what) => `ametadata=mode=print:key=lavfi.silence_${what}:file=-`)
  const text = await convert(['-i', file, '-af', [SILENCE, ...printed].join(','), '-f', 'null', '-'], signal)
  const starts = [...text.matchAll(/lavfi\.silence_start=([\d.]+)/g)].map(([, at]) => Number(at))
  const ends = [...text.matchAll(/lavfi\.silence_end=([\d.]+)/g)].map(([, at]) => Number(at))
  // The last one may last to the end of the recording.
  return starts.map((start, index) => ({ start, end: ends[index] ?? Number.POSITIVE_INFINITY }))
}

async function convert(args: readonly string[], signal: AbortSignal): Promise<string> {
  try {
    const order = { program: 'ffmpeg', args: ['-nostdin', '-v', 'error', '-y', ...args], limitMs: CONVERTING_MS, nice: 10, signal }
    return (await runProcess(order)).toString()
  } catch (error) {
    if (signal.aborted) throw signal.reason
    throw new SpeechFailed('The recording could not be read as sound.', { passing: false, cause: error })
  }
}

async function soundOf(file: string, seconds: number): Promise<Sound> {
  const { size } = await stat(file)
  return { name: 'sound.flac', type: 'audio/flac', bytes: size, seconds, open: () => createReadStream(file) }
}

function shifted({ utterances, raw }: Heard, by: number): Heard {
  if (by === 0) return { utterances, raw }
  const later = <Timed extends Span>(timed: Timed): Timed => ({ ...timed, start: timed.start + by, end: timed.end + by })
  return { utterances: utterances.map((one): Utterance => ({ ...later(one), words: one.words.map(later) })), raw }
}
