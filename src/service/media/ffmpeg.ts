// Runs ffmpeg and ffprobe, with a lower priority than live bots, one thread each and a time limit.
import { runProcess } from '../../kit/process.ts'

export type FfmpegOptions = { readonly signal?: AbortSignal | undefined }

export type FfmpegJob = {
  readonly args: readonly string[]
  readonly limitMs: number
  /** Default: `NICE`. */
  readonly nice?: number
  /** Read by ffmpeg as `pipe:0`. */
  readonly input?: AsyncIterable<Uint8Array>
}

export const NICE = 10
/** The video takes longest, so sound and transcript go before it. */
export const NICE_VIDEO = 15
/** `-max_error_rate 1`: undecodable frames are dropped and never fail the file, because packet loss is normal. */
const COMMON_ARGS = ['-hide_banner', '-v', 'error', '-nostdin', '-y', '-max_error_rate', '1']
/** Without it, ffmpeg leaves out packets that it cannot copy. */
export const EXIT_ON_ERROR = ['-xerror']
/** Two processes of one thread take less CPU time than one process of two threads. */
export const ONE_THREAD = ['-threads', '1']
const FILTERS_IN_ONE_THREAD = ['-filter_threads', '1', '-filter_complex_threads', '1']
const PROBE_LIMIT_MS = 60_000

export async function ffmpeg({ signal }: FfmpegOptions, { args, limitMs, nice = NICE, input }: FfmpegJob): Promise<void> {
  await runProcess({ program: 'ffmpeg', args: [...COMMON_ARGS, ...FILTERS_IN_ONE_THREAD, ...args], limitMs, nice, signal, input })
}

/** Generous, because live bots take most of the CPU: the limit is for a hanging process and not for a slow one. */
export function limitFor(mediaMs: number): number {
  return 15 * 60_000 + 4 * mediaMs
}

export type Probed = { readonly durationMs: number; readonly width: number | null; readonly height: number | null }

/** Reads duration and picture size from the file's header. */
export async function probe({ signal }: FfmpegOptions, file: string): Promise<Probed> {
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
