// A pool of recognition processes: started on demand, stopped when idle, and replaced after a crash.
import { type ChildProcess, fork, type StdioOptions } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { BARE_ENVIRONMENT } from '../../kit/compiled.ts'
import { codeIn } from '../../kit/failure.ts'
import type { FromRecogniser, RecogniserSetup, ToRecogniser } from './recogniser-messages.ts'

const PROGRAM = fileURLToPath(new URL('recogniser.ts', import.meta.url))
const STOP_WITHIN_MS = 2_000
/** Type stripping warns in this version of Node. A small young generation keeps memory low, because the garbage is short-lived. */
const NODE_OPTIONS = ['--disable-warning=ExperimentalWarning', '--max-semi-space-size=4']

/** ONNX Runtime sends figures about the machine and its models to its maker unless this is set. */
export const RECOGNISER_ENVIRONMENT = { ...BARE_ENVIRONMENT, ORT_DISABLE_TELEMETRY: '1' }

export type RecogniserPoolOptions = {
  readonly setup: RecogniserSetup
  /** Unix niceness, 0 to 19. */
  readonly nice: number
  readonly mostProcesses: number
  readonly idleMs: number
}

/** Nothing follows a `done` or `failed` message, or `onLost`. */
export type JobHandler = {
  onMessage(message: FromRecogniser): void
  /** The process ended before the job was done. */
  onLost(why: string): void
}

type WithoutJob<Order> = Order extends { readonly job: number } ? Omit<Order, 'job'> : never

export type Job = {
  send(message: WithoutJob<ToRecogniser>): void
  /** Cancels the job. Its handler is not called any more. */
  drop(): void
}

type Process = { readonly child: ChildProcess; readonly handlers: Map<number, JobHandler>; idle: NodeJS.Timeout | undefined }

export class RecogniserPool {
  readonly #options: RecogniserPoolOptions
  readonly #processes = new Set<Process>()
  #jobs = 0

  constructor(options: RecogniserPoolOptions) {
    this.#options = options
  }

  get pids(): readonly number[] {
    return [...this.#processes].flatMap(({ child }) => child.pid ?? [])
  }

  /** The processes with a job. */
  get busy(): number {
    return [...this.#processes].filter(({ handlers }) => handlers.size > 0).length
  }

  begin(handler: JobHandler): Job {
    const job = ++this.#jobs
    const it = this.#leastBusy()
    clearTimeout(it.idle)
    it.handlers.set(job, handler)
    return {
      send: (message) => send(it, { ...message, job }),
      drop: () => {
        if (!it.handlers.has(job)) return
        send(it, { kind: 'stop', job })
        this.#over(it, job)
      },
    }
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#processes].map((it) => this.#end(it)))
  }

  #leastBusy(): Process {
    const [free] = [...this.#processes].sort((one, other) => one.handlers.size - other.handlers.size)
    const isFull = this.#processes.size >= this.#options.mostProcesses
    return free && (isFull || free.handlers.size === 0) ? free : this.#start()
  }

  #start(): Process {
    const options = {
      // Renicing a running process would miss its existing threads.
      execPath: 'nice',
      execArgv: ['-n', String(this.#options.nice), process.execPath, ...NODE_OPTIONS],
      env: RECOGNISER_ENVIRONMENT,
      serialization: 'advanced' as const,
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'] as StdioOptions,
    }
    const it: Process = { child: fork(PROGRAM, options), handlers: new Map(), idle: undefined }
    it.child.on('message', (message: FromRecogniser) => this.#receive(it, message))
    it.child.once('error', (error) => this.#lose(it, `could not be started${codeIn(error)}`))
    it.child.once('exit', (code, signal) => this.#lose(it, `ended with ${signal ?? code}`))
    this.#processes.add(it)
    send(it, { kind: 'setup', setup: this.#options.setup })
    return it
  }

  #receive(it: Process, message: FromRecogniser): void {
    const handler = it.handlers.get(message.job)
    if (message.kind === 'done' || message.kind === 'failed') this.#over(it, message.job)
    handler?.onMessage(message)
  }

  #over(it: Process, job: number): void {
    it.handlers.delete(job)
    if (it.handlers.size > 0) return
    clearTimeout(it.idle)
    it.idle = setTimeout(() => void this.#end(it), this.#options.idleMs).unref()
  }

  #lose(it: Process, why: string): void {
    this.#processes.delete(it)
    clearTimeout(it.idle)
    const ears = [...it.handlers.values()]
    it.handlers.clear()
    for (const handler of ears) handler.onLost(why)
  }

  /** Disconnecting makes the process exit; it is killed if it does not. Unfinished jobs are reported as lost. */
  #end(it: Process): Promise<void> {
    const gone = new Promise<void>((resolve) => {
      it.child.once('exit', () => resolve())
      if (it.child.exitCode !== null || it.child.signalCode !== null) resolve()
    })
    this.#lose(it, 'was stopped')
    if (it.child.connected) it.child.disconnect()
    const timer = setTimeout(() => it.child.kill('SIGKILL'), STOP_WITHIN_MS).unref()
    return gone.finally(() => clearTimeout(timer))
  }
}

function send({ child }: Process, message: ToRecogniser): void {
  // A disconnected process is about to exit, and its exit event reports the lost jobs.
  if (child.connected) child.send(message, () => undefined)
}
