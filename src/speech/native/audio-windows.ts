// Decodes a file into windows of samples, in parts, so that memory does not grow with the length. Opus is decoded in this process: it
// takes less than half of the time of ffmpeg, which decodes and resamples.
import { ProcessFailed, streamProcess } from '../../kit/process.ts'
import { SpeechFailed } from '../provider.ts'
import { decodedOpus, isOpusFile } from './opus-file.ts'
import { joined, SAMPLES_PER_SECOND } from './samples.ts'
import { WINDOW_SAMPLES } from './voice-activity.ts'

/** No recording is this long, and the caller's signal ends earlier. */
const LIMIT_MS = 24 * 3_600_000

/** Windows of equal length, several at a time; the last one is padded with silence. */
export async function* windowsOfFile(file: string, signal: AbortSignal): AsyncGenerator<readonly Float32Array[]> {
  const cutter = new WindowCutter()
  const samples = (await isOpusFile(file)) ? decodedOpus(file, signal) : decodedByFfmpeg(file, signal)
  for await (const block of samples) yield cutter.push(block)
  yield cutter.flush()
}

/** Cuts samples of any length into windows for the voice activity network. */
export class WindowCutter {
  #rest = new Float32Array(0)

  push(samples: Float32Array): readonly Float32Array[] {
    const all = joined([this.#rest, samples])
    const windows: Float32Array[] = []
    let at = 0
    for (; at + WINDOW_SAMPLES <= all.length; at += WINDOW_SAMPLES) windows.push(all.slice(at, at + WINDOW_SAMPLES))
    this.#rest = all.slice(at)
    return windows
  }

  flush(): readonly Float32Array[] {
    return this.#rest.length > 0 ? this.push(new Float32Array(WINDOW_SAMPLES - this.#rest.length)) : []
  }
}

export function floatSamples(pcm: Int16Array): Float32Array {
  const samples = new Float32Array(pcm.length)
  for (let at = 0; at < pcm.length; at++) samples[at] = (pcm[at] ?? 0) / 32_768
  return samples
}

/** Copied, because an array of 16-bit numbers needs an even offset. */
function samplesOf(bytes: Buffer): Float32Array {
  return floatSamples(new Int16Array(new Uint8Array(bytes).buffer))
}

/** Yields whole samples. The protocol whitelist keeps ffmpeg from opening a URL. */
async function* decodedByFfmpeg(file: string, signal: AbortSignal): AsyncGenerator<Float32Array> {
  // `async=1` fills holes with silence, so that the following audio keeps its time.
  const sound = ['-vn', '-filter_threads', '1', '-af', 'aresample=async=1', '-ac', '1', '-ar', String(SAMPLES_PER_SECOND)]
  // By default ffmpeg writes each 20 ms on its own, and each write wakes this process.
  const format = [...sound, '-f', 's16le', '-flush_packets', '0', 'pipe:1']
  const args = ['-nostdin', '-v', 'error', '-threads', '1', '-protocol_whitelist', 'file,pipe', '-i', `file:${file}`, ...format]
  try {
    for await (const bytes of wholeSamples(streamProcess({ program: 'ffmpeg', args, signal, limitMs: LIMIT_MS }))) yield samplesOf(bytes)
  } catch (error) {
    if (!(error instanceof ProcessFailed) || error.isNotInstalled) throw error
    throw new SpeechFailed('native: the audio cannot be decoded', { retryable: false, cause: error })
  }
}

async function* wholeSamples(output: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let rest: Buffer = Buffer.alloc(0)
  for await (const part of output) {
    const bytes = rest.length > 0 ? Buffer.concat([rest, part]) : part
    const whole = bytes.length - (bytes.length % 2)
    rest = bytes.subarray(whole)
    yield bytes.subarray(0, whole)
  }
}
