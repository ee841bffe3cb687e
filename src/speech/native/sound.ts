// A file as samples: ffmpeg decodes it as fast as they are taken, so that an hour needs no more memory than a minute.
import { spawn } from 'node:child_process'
import { SpeechFailed } from '../provider.ts'
import { SAMPLES_PER_SECOND } from './engine.ts'
import { WINDOW_SAMPLES } from './voice-activity.ts'

const KEPT_COMPLAINT_BYTES = 2_000

/** Windows of equal length, the last one filled up with silence. */
export async function* windowsOfFile(file: string, signal: AbortSignal): AsyncGenerator<Float32Array> {
  const cutter = new WindowCutter()
  for await (const bytes of decoded(file, signal)) yield* cutter.push(samplesOf(bytes))
  yield* cutter.flush()
}

/** Samples in pieces of any length, as windows of the length that the network wants. */
export class WindowCutter {
  #rest = new Float32Array(0)

  push(samples: Float32Array): readonly Float32Array[] {
    const all = new Float32Array(this.#rest.length + samples.length)
    all.set(this.#rest)
    all.set(samples, this.#rest.length)
    const windows = Math.floor(all.length / WINDOW_SAMPLES)
    this.#rest = all.slice(windows * WINDOW_SAMPLES)
    return Array.from({ length: windows }, (_, at) => all.slice(at * WINDOW_SAMPLES, (at + 1) * WINDOW_SAMPLES))
  }

  flush(): readonly Float32Array[] {
    return this.#rest.length > 0 ? this.push(new Float32Array(WINDOW_SAMPLES - this.#rest.length)) : []
  }
}

export function floatSamples(pcm: Int16Array): Float32Array {
  return Float32Array.from(pcm, (sample) => sample / 32_768)
}

function samplesOf(bytes: Buffer): Float32Array {
  return Float32Array.from({ length: bytes.length / 2 }, (_, at) => bytes.readInt16LE(at * 2) / 32_768)
}

/** Always whole samples. Only files: a name cannot be an address that ffmpeg would go and ask. */
async function* decoded(file: string, signal: AbortSignal): AsyncGenerator<Buffer> {
  // Where nothing was sent there is silence: without it, what follows would be heard too early.
  const format = ['-vn', '-af', 'aresample=async=1', '-ac', '1', '-ar', String(SAMPLES_PER_SECOND), '-f', 's16le', 'pipe:1']
  const words = ['-nostdin', '-v', 'error', '-threads', '1', '-protocol_whitelist', 'file,pipe', '-i', `file:${file}`, ...format]
  const child = spawn('ffmpeg', words, { stdio: ['ignore', 'pipe', 'pipe'], signal, killSignal: 'SIGKILL' })
  let complaint = ''
  child.stderr.on('data', (text: Buffer) => {
    complaint = `${complaint}${text}`.slice(-KEPT_COMPLAINT_BYTES)
  })
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', resolve)
  })
  // Whoever stops reading hears of the end no more.
  ended.catch(() => undefined)
  try {
    yield* wholeSamples(child.stdout)
    const code = await ended
    if (code !== 0) throw new SpeechFailed('native: the sound cannot be read', { passing: false, cause: complaint.trim() })
  } finally {
    child.kill('SIGKILL')
  }
}

async function* wholeSamples(output: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let odd: Buffer = Buffer.alloc(0)
  for await (const part of output) {
    const bytes = odd.length > 0 ? Buffer.concat([odd, part]) : part
    const whole = bytes.length - (bytes.length % 2)
    odd = bytes.subarray(whole)
    yield bytes.subarray(0, whole)
  }
}
