// Converts a recording to 16 kHz mono FLAC for vendors, and splits it at silences where a vendor limits the length.
import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Utterance } from '../../domain/transcript.ts'
import { runProcess } from '../../kit/process.ts'
import { inTemporaryFolder } from '../../kit/temporary-folder.ts'
import type { AudioFile } from '../http/upload.ts'
import { type Recogniser, type Recognition, SpeechFailed } from '../provider.ts'

type Source = Parameters<Recogniser['transcribe']>[0]
type Options = Parameters<Recogniser['transcribe']>[1]
type Span = { readonly start: number; readonly end: number }
type Piece = { readonly audio: AudioFile; readonly start: number }

/** Transcribes one piece. */
export type Transcribe = (audio: AudioFile, options: Options, signal: AbortSignal) => Promise<Recognition>

/** The upper limit of FLAC's size, which turns a limit in bytes into one in seconds. */
export const MOST_BYTES_PER_SECOND = 32_500
/** ffmpeg converts an hour in a few seconds; the rest is reserve for a busy machine. */
const CONVERTING_MS = 10 * 60_000
const SILENCE = 'silencedetect=noise=-45dB:duration=0.4'

/** Transcribes a recording piece by piece. The resulting times refer to the whole recording. By default a piece may have any length. */
export function splittingRecogniser(transcribe: Transcribe, mostSeconds?: (options: Options) => number): Recogniser {
  return {
    transcribe(source, options, signal) {
      return inTemporaryFolder(join(tmpdir(), 'emissary-speech-'), async (folder) => {
        const pieces = await split(source, mostSeconds?.(options) ?? null, folder, signal)
        const recognitions: Recognition[] = []
        for (const { audio, start } of pieces) recognitions.push(shifted(await transcribe(audio, options, signal), start))
        const raws = recognitions.map(({ raw }) => raw)
        return { utterances: recognitions.flatMap(({ utterances }) => utterances), raw: raws.length === 1 ? raws[0] : raws }
      })
    },
  }
}

async function split(source: Source, mostSeconds: number | null, folder: string, signal: AbortSignal): Promise<readonly Piece[]> {
  const whole = join(folder, 'whole.flac')
  // `async=1` fills holes with silence, so that the following words keep their times.
  await convert(['-i', source.file, '-map', '0:a:0', '-af', 'aresample=async=1', '-ar', '16000', '-ac', '1', whole], signal)
  if (mostSeconds === null || source.seconds <= mostSeconds) return [{ audio: await audioFileOf(whole, source.seconds), start: 0 }]
  const silences = await silencesIn(whole, signal)
  const pieces: Piece[] = []
  for (const [index, { start, end }] of spans(source.seconds, mostSeconds, silences).entries()) {
    // Some recognisers invent words in silence.
    if (silences.some((silence) => silence.start <= start && silence.end >= end)) continue
    const file = join(folder, `piece-${index}.flac`)
    await convert(['-ss', String(start), '-t', String(end - start), '-i', whole, file], signal)
    pieces.push({ audio: await audioFileOf(file, end - start), start })
  }
  return pieces
}

/** Cuts in the latest silence that keeps the piece between half of the limit and the limit. */
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
  const printed = ['start', 'end'].map((edge) => `ametadata=mode=print:key=lavfi.silence_${edge}:file=-`)
  const text = await convert(['-i', file, '-af', [SILENCE, ...printed].join(','), '-f', 'null', '-'], signal)
  const starts = [...text.matchAll(/lavfi\.silence_start=([\d.]+)/g)].map(([, at]) => Number(at))
  const ends = [...text.matchAll(/lavfi\.silence_end=([\d.]+)/g)].map(([, at]) => Number(at))
  // The last silence may extend to the end of the recording.
  return starts.map((start, index) => ({ start, end: ends[index] ?? Number.POSITIVE_INFINITY }))
}

async function convert(args: readonly string[], signal: AbortSignal): Promise<string> {
  try {
    const order = { program: 'ffmpeg', args: ['-nostdin', '-v', 'error', '-y', ...args], limitMs: CONVERTING_MS, nice: 10, signal }
    return (await runProcess(order)).toString()
  } catch (error) {
    if (signal.aborted) throw signal.reason
    throw new SpeechFailed('The recording could not be decoded as audio.', { retryable: false, cause: error })
  }
}

async function audioFileOf(file: string, seconds: number): Promise<AudioFile> {
  const { size } = await stat(file)
  return { name: 'sound.flac', type: 'audio/flac', bytes: size, seconds, open: () => createReadStream(file) }
}

function shifted({ utterances, raw }: Recognition, by: number): Recognition {
  if (by === 0) return { utterances, raw }
  const later = <Timed extends Span>(timed: Timed): Timed => ({ ...timed, start: timed.start + by, end: timed.end + by })
  return { utterances: utterances.map((one): Utterance => ({ ...later(one), words: one.words.map(later) })), raw }
}
