// One run of another program: niced, bounded in time and in what it may say, and gone when we are.
import { type ChildProcess, spawn } from 'node:child_process'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'

export type ProcessOrder = {
  readonly program: string
  readonly args: readonly string[]
  /** Wall clock. */
  readonly limitMs: number
  readonly nice?: number
  readonly signal?: AbortSignal | undefined
  /** Fed to the program's standard input as fast as it reads. */
  readonly input?: AsyncIterable<Uint8Array> | undefined
  /** A program that says more than this on its standard output is ended. */
  readonly mostOutputBytes?: number
}

const MOST_OUTPUT_BYTES = 8 * 1024 * 1024
const KEPT_COMPLAINT_BYTES = 8 * 1024

/** Resolves with the standard output once the program has ended well; rejects with whatever went wrong first. */
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
 * In a group of its own, so that what it starts can be ended with it. `setpriv` has the kernel end it when we are killed: two runs of one
 * step would otherwise write side by side. `nice` before the program, because Linux nices threads, and later it would miss some.
 */
function start({ program, args, nice = 0, input }: ProcessOrder): ChildProcess {
  const words = ['--pdeathsig', 'KILL', '--', 'nice', '-n', String(nice), '--', program, ...args]
  return spawn('setpriv', words, { detached: true, stdio: [input ? 'pipe' : 'ignore', 'pipe', 'pipe'] })
}

function killGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // Already gone: then its end has been told, or is about to be.
  }
}

function ended(child: ChildProcess): Promise<number | string> {
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code, signal) => resolve(code ?? signal ?? 'no reason'))
  })
}

/** A program that ends early, or has read enough, does not fail because of what it left unread: its own end says how it went. */
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
    if (bytes > mostBytes) stop(new Error(`${program}: said more than ${mostBytes} bytes`))
    else parts.push(part)
  })
  return () => Buffer.concat(parts)
}

/** The last words count: what a program complains of at length, it sums up at its end. */
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
