// The colours and tones of a recorded file, measured by decoding it.
import { spawnSync } from 'node:child_process'

const RATE = 16_000
const WINDOW = 160

// A canvas is sent as BT.709 in full range, which VP8 does not signal.
const SMALLEST = 'scale=in_color_matrix=bt709:in_range=pc,format=rgb24,scale=1:1:flags=area'

export type Picture = { readonly atMs: number; readonly rgb: readonly [number, number, number] }

/** Errors of the decoder. Empty if every frame decodes. */
export function complaints(file: string): string {
  // In milliseconds: with a guessed frame rate, two close frames would have the same time.
  return run('ffmpeg', ['-v', 'error', '-i', file, '-vsync', '0', '-enc_time_base:v', '1/1000', '-f', 'null', '-']).stderr.toString()
}

/** The mean colour of every frame, at its time. */
export function pictures(file: string): readonly Picture[] {
  const pixels = run('ffmpeg', [
    '-v',
    'error',
    '-i',
    file,
    '-vf',
    SMALLEST,
    '-vsync',
    '0',
    '-f',
    'rawvideo',
    '-pix_fmt',
    'rgb24',
    '-',
  ]).stdout
  const times = run('ffprobe', ['-v', 'error', '-show_entries', 'packet=pts_time', '-of', 'csv=p=0', file])
    .stdout.toString()
    .trim()
    .split('\n')
  return times.flatMap((time, index) => {
    const [red, green, blue] = pixels.subarray(index * 3, index * 3 + 3)
    return red === undefined || green === undefined || blue === undefined
      ? []
      : [{ atMs: Number.parseFloat(time) * 1000, rgb: [red, green, blue] as const }]
  })
}

export type Sound = {
  readonly startMs: number
  readonly lengthMs: number
  at(toneHz: number, fromMs: number, toMs: number): number
  firstMs(toneHz: number): number | null
}

/** `at` is the tone's amplitude, 0 to 1. `firstMs` is its start. Both in the file's own time. */
export function sound(file: string): Sound {
  // Gaps are filled with silence. Otherwise later audio would be measured too early.
  const filled = ['-af', 'aresample=async=1:min_hard_comp=0.02']
  const bytes = run('ffmpeg', ['-v', 'error', '-i', file, ...filled, '-ac', '1', '-ar', String(RATE), '-f', 's16le', '-']).stdout
  const samples = new Int16Array(bytes.buffer, bytes.byteOffset, bytes.length >> 1)
  const output = run('ffprobe', ['-v', 'error', '-show_entries', 'stream=start_time', '-of', 'csv=p=0', file]).stdout.toString()
  // A container without timestamps starts at zero.
  const startMs = (Number.parseFloat(output) || 0) * 1000
  const index = (ms: number) => Math.max(0, Math.round(((ms - startMs) * RATE) / 1000))
  return {
    startMs,
    lengthMs: (samples.length * 1000) / RATE,
    at: (toneHz, fromMs, toMs) => goertzel(samples.subarray(index(fromMs), index(toMs)), toneHz),
    firstMs(toneHz) {
      for (let from = 0; from + WINDOW < samples.length; from += WINDOW) {
        if (goertzel(samples.subarray(from, from + WINDOW), toneHz) > 0.05) return startMs + (from * 1000) / RATE
      }
      return null
    },
  }
}

function goertzel(samples: Int16Array, toneHz: number): number {
  const factor = 2 * Math.cos((2 * Math.PI * toneHz) / RATE)
  let [before, last] = [0, 0]
  for (const sample of samples) [before, last] = [last, sample / 32_768 + factor * last - before]
  return (2 * Math.sqrt(Math.max(0, last * last + before * before - factor * last * before))) / Math.max(1, samples.length)
}

function run(program: string, args: readonly string[]) {
  const done = spawnSync(program, args, { maxBuffer: 256 * 1024 * 1024 })
  if (done.error) throw done.error
  return done
}
