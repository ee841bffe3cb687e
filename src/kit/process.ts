// Runs a program once: niced, with limits on time and output, and killed when this process dies.
import { type ChildProcess, spawn } from 'node:child_process'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'

export type ProcessOrder = {
  readonly program: string
  readonly args: readonly string[]
  /** In wall clock time. */
  readonly limitMs: number
  readonly nice?: number
  readonly signal?: AbortSignal | undefined
  /** Piped to standard input as fast as the program reads. */
  readonly input?: AsyncIterable<Uint8Array> | undefined
  /** A program that prints more than this on standard output is killed. */
  readonly mostOutputBytes?: number
}

const MOST_OUTPUT_BYTES = 8 * 1024 * 1024
const KEPT_COMPLAINT_BYTES = 8 * 1024

/** Resolves with the standard output when the program exits with 0. Rejects with the first problem. */
export async function runProcess(order: ProcessOrder): Promise<Buffer> {
  order.signal?.throwIfAborted()
  const child = start(order)
  let cause: Error | null = null
  const stop = (why: Error): void => {
    cause ??= why
    killGroup(child)
  }
  const timer = setTimeout(() => stop(new Error(`${order.program}: took longer than ${order.limitMs} ms`)), order.limitMs)
  const onAbort = (): void => stop(asError(order.signal?.reason))
  order.signal?.addEventListener('abort', onAbort)
  try {
    const output = keepOutput(child, order, stop)
    const complaint = keepComplaint(child)
    const feeding = order.input ? feed(child, order.input).catch((error: unknown) => stop(asError(error))) : null
    const outcome = await ended(child)
    await feeding
    if (cause) throw cause
    if (outcome !== 0) throw new Error(`${order.program}: ended with ${outcome}: ${complaint()}`)
    return output()
  } finally {
    clearTimeout(timer)
    order.signal?.removeEventListener('abort', onAbort)
  }
}

/**
 * Runs in its own process group, so that a kill includes its children. `setpriv` has the kernel kill it when this process dies: two runs of
 * one step would otherwise write to the same file. `nice` wraps the program: renicing later would miss threads.
 */
function start({ program, args, nice = 0, input }: ProcessOrder): ChildProcess {
  const command = ['--pdeathsig', 'KILL', '--', 'nice', '-n', String(nice), '--', program, ...args]
  return spawn('setpriv', command, { detached: true, stdio: [input ? 'pipe' : 'ignore', 'pipe', 'pipe'] })
}

function killGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // Already gone: its exit event has fired or is about to.
  }
}

function ended(child: ChildProcess): Promise<number | string> {
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code, signal) => resolve(code ?? signal ?? 'no reason'))
  })
}

/** A program that exits without reading all input does not fail for that: its exit code decides. */
async function feed(child: ChildProcess, input: AsyncIterable<Uint8Array>): Promise<void> {
  if (!child.stdin) return
  try {
    await pipeline(Readable.from(input), child.stdin)
  } catch (error) {
    if (!isClosedPipe(error)) throw error
  }
}

const CLOSED_PIPE: readonly unknown[] = ['EPIPE', 'ECONNRESET', 'ERR_STREAM_PREMATURE_CLOSE']

function isClosedPipe(error: unknown): boolean {
  return error instanceof Error && 'code' in error && CLOSED_PIPE.includes(error.code)
}

function keepOutput(
  child: ChildProcess,
  { program, mostOutputBytes: mostBytes = MOST_OUTPUT_BYTES }: ProcessOrder,
  stop: (why: Error) => void,
): () => Buffer {
  const parts: Buffer[] = []
  let bytes = 0
  child.stdout?.on('data', (part: Buffer) => {
    bytes += part.length
    if (bytes > mostBytes) stop(new Error(`${program}: printed more than ${mostBytes} bytes`))
    else parts.push(part)
  })
  return () => Buffer.concat(parts)
}

/** Keeps the end: programs print the summary of a failure last. */
function keepComplaint(child: ChildProcess): () => string {
  let kept = Buffer.alloc(0)
  child.stderr?.on('data', (part: Buffer) => {
    kept = Buffer.concat([kept, part]).subarray(-KEPT_COMPLAINT_BYTES)
  })
  return () => kept.toString().trim()
}

function asError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error('Stopped', { cause: reason })
}
