// Runs a program that ends: niced, with limits on time and output, and killed when this process dies.
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
  readonly input?: AsyncIterable<Uint8Array> | Iterable<Uint8Array> | undefined
  /** `runProcess` kills a program that prints more than this on standard output. */
  readonly mostOutputBytes?: number
  /** The folder in which it starts. */
  readonly cwd?: string
  /** Replaces the environment of this process. */
  readonly env?: Readonly<Record<string, string>>
  /** The user to switch to, for root. */
  readonly identity?: Identity
}

export type Identity = { readonly uid?: number; readonly gid?: number }

const MOST_OUTPUT_BYTES = 8 * 1024 * 1024
const KEPT_COMPLAINT_BYTES = 8 * 1024
/** The exit code of `nice` for a program that does not exist. */
const NOT_FOUND = 127

/** The program ended with another exit code than 0, or by a signal. */
export class ProcessFailed extends Error {
  override readonly name = 'ProcessFailed'
  readonly isNotInstalled: boolean
  /** The end of its standard error. */
  readonly complaint: string

  constructor(program: string, outcome: number | string, complaint: string) {
    super(`${program}: ended with ${outcome}: ${complaint}`)
    this.isNotInstalled = outcome === NOT_FOUND
    this.complaint = complaint
  }
}

/** What a failed program printed last, or else the message of the error. */
export function complaintOf(error: unknown): string {
  if (error instanceof ProcessFailed && error.complaint !== '') return error.complaint
  return error instanceof Error ? error.message : String(error)
}

/** Resolves with the standard output when the program exits with 0. Rejects with the first problem. */
export async function runProcess(order: ProcessOrder): Promise<Buffer> {
  const { program, mostOutputBytes = MOST_OUTPUT_BYTES } = order
  const parts: Buffer[] = []
  let bytes = 0
  for await (const part of streamProcess(order)) {
    bytes += part.length
    if (bytes > mostOutputBytes) throw new Error(`${program}: printed more than ${mostOutputBytes} bytes`)
    parts.push(part)
  }
  return Buffer.concat(parts)
}

/** Yields the standard output as it is read, and throws the first problem. The program is killed when the consumer stops reading. */
export async function* streamProcess(order: ProcessOrder): AsyncGenerator<Buffer> {
  order.signal?.throwIfAborted()
  const child = start(order)
  const end = ended(child)
  // A consumer that stops reading never awaits it.
  end.catch(() => undefined)
  let [cause, outcome]: [Error | null, number | string | null] = [null, null]
  const stop = (why: Error): void => {
    cause ??= why
    killGroup(child)
  }
  const timer = setTimeout(() => stop(new Error(`${order.program}: took longer than ${order.limitMs} ms`)), order.limitMs)
  const onAbort = (): void => stop(asError(order.signal?.reason))
  order.signal?.addEventListener('abort', onAbort)
  try {
    const complaint = keepComplaint(child)
    const feeding = order.input ? feed(child, order.input).catch((error: unknown) => stop(asError(error))) : null
    if (child.stdout) yield* child.stdout
    outcome = await end
    await feeding
    if (cause) throw cause
    if (outcome !== 0) throw new ProcessFailed(order.program, outcome, complaint())
  } finally {
    if (outcome === null) killGroup(child)
    await end.catch(() => undefined)
    clearTimeout(timer)
    order.signal?.removeEventListener('abort', onAbort)
  }
}

/**
 * Runs in its own process group, so that a kill includes its children. `setpriv` has the kernel kill it when this process dies: two runs of
 * one step would otherwise write to the same file. `nice` wraps the program: renicing later would miss threads.
 */
function start({ program, args, nice = 0, input, cwd, env, identity }: ProcessOrder): ChildProcess {
  const command = ['--pdeathsig', 'KILL', '--', 'nice', '-n', String(nice), '--', program, ...args]
  return spawn('setpriv', command, { ...identity, cwd, env, detached: true, stdio: [input ? 'pipe' : 'ignore', 'pipe', 'pipe'] })
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
async function feed(child: ChildProcess, input: NonNullable<ProcessOrder['input']>): Promise<void> {
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
