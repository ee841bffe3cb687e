// The one caller of ffmpeg and ffprobe: nicer than any live bot, bounded in threads and in time.
import { runProcess } from '../../kit/process.ts'

/** What a step may use, and what ends it. */
export type Workshop = { readonly threads: number; readonly signal?: AbortSignal | undefined }

export type Errand = {
  readonly args: readonly string[]
  readonly limitMs: number
  /** Read by ffmpeg as `pipe:0`. */
  readonly input?: AsyncIterable<Uint8Array>
}

export const NICE = 10
/** Pictures that cannot be decoded are missing pictures, however many: a network loses some, and a meeting is not thrown away for it. */
const QUIET = ['-hide_banner', '-v', 'error', '-nostdin', '-y', '-max_error_rate', '1']
const PROBE_LIMIT_MS = 60_000

export async function ffmpeg({ threads, signal }: Workshop, { args, limitMs, input }: Errand): Promise<void> {
  const bounded = ['-filter_threads', '1', '-filter_complex_threads', String(threads)]
  await runProcess({ program: 'ffmpeg', args: [...QUIET, ...bounded, ...args], limitMs, nice: NICE, signal, input })
}

/** Wide, because a node full of live bots leaves little to whoever is nice: this is for what hangs, not for what is slow. */
export function limitFor(mediaMs: number): number {
  return 15 * 60_000 + 4 * mediaMs
}

export type Probed = { readonly durationMs: number; readonly width: number | null; readonly height: number | null }

/** How long a finished file is and how large its picture, by its own account. */
export async function probe({ signal }: Workshop, file: string): Promise<Probed> {
  const entries = ['-show_entries', 'format=duration:stream=width,height', '-of', 'json']
  const args = ['-v', 'error', ...entries, file]
  const output = await runProcess({ program: 'ffprobe', args, limitMs: PROBE_LIMIT_MS, nice: NICE, signal })
  return readProbe(JSON.parse(String(output)))
}

type ProbeOutput = { readonly format?: { readonly duration?: string }; readonly streams?: readonly Size[] }
type Size = { readonly width?: number; readonly height?: number }

function readProbe(output: ProbeOutput): Probed {
  const picture = output.streams?.find(({ width }) => width !== undefined)
  return {
    durationMs: Math.round(Number(output.format?.duration ?? Number.NaN) * 1000),
    width: picture?.width ?? null,
    height: picture?.height ?? null,
  }
}
