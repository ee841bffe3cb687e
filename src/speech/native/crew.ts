// The processes that listen: started when there is work, ended when there has been none for a while, replaced when one dies.

import { type ChildProcess, fork, type StdioOptions } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { BARE_ENVIRONMENT } from '../../kit/compiled.ts'
import { codeIn } from '../../kit/failure.ts'
import type { Equipment, FromWorker, ToWorker } from './wire.ts'

const PROGRAM = fileURLToPath(new URL('worker.ts', import.meta.url))
const STOP_WITHIN_MS = 2_000
/** It strips types, which Node still calls experimental. Its garbage is short-lived, and Node would take ever more room to be lazier about it. */
const NODE_OPTIONS = ['--disable-warning=ExperimentalWarning', '--max-semi-space-size=4']

export type CrewOptions = {
  readonly equipment: Equipment
  /** How far it steps back before others, 0 to 19. */
  readonly nice: number
  readonly mostProcesses: number
  readonly idleMs: number
}

/** Who waits for a job. Once one of the two has said that it is over, nothing follows. */
export type JobEar = {
  told(message: FromWorker): void
  /** The process has ended without finishing it. */
  lost(why: string): void
}

type NewOrder<Order> = Order extends { readonly job: number } ? Omit<Order, 'job'> : never

export type Job = {
  send(order: NewOrder<ToWorker>): void
  /** Not wanted any more: its ear hears nothing from now on. */
  drop(): void
}

type Process = { readonly child: ChildProcess; readonly ears: Map<number, JobEar>; idle: NodeJS.Timeout | undefined }

export class Crew {
  readonly #options: CrewOptions
  readonly #processes = new Set<Process>()
  #jobs = 0

  constructor(options: CrewOptions) {
    this.#options = options
  }

  /** The processes under way. */
  get pids(): readonly number[] {
    return [...this.#processes].flatMap(({ child }) => child.pid ?? [])
  }

  begin(ear: JobEar): Job {
    const job = ++this.#jobs
    const it = this.#leastBusy()
    clearTimeout(it.idle)
    it.ears.set(job, ear)
    return {
      send: (order) => send(it, { ...order, job }),
      drop: () => {
        if (!it.ears.has(job)) return
        send(it, { kind: 'stop', job })
        this.#over(it, job)
      },
    }
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#processes].map((it) => this.#end(it)))
  }

  #leastBusy(): Process {
    const [free] = [...this.#processes].sort((one, other) => one.ears.size - other.ears.size)
    const isFull = this.#processes.size >= this.#options.mostProcesses
    return free && (isFull || free.ears.size === 0) ? free : this.#start()
  }

  #start(): Process {
    const options = {
      // A process cannot be niced once it runs: its threads would be missed.
      execPath: 'nice',
      execArgv: ['-n', String(this.#options.nice), process.execPath, ...NODE_OPTIONS],
      env: BARE_ENVIRONMENT,
      serialization: 'advanced' as const,
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'] as StdioOptions,
    }
    const it: Process = { child: fork(PROGRAM, options), ears: new Map(), idle: undefined }
    it.child.on('message', (message: FromWorker) => this.#hear(it, message))
    it.child.once('error', (error) => this.#lose(it, `could not be started${codeIn(error)}`))
    it.child.once('exit', (code, signal) => this.#lose(it, `ended with ${signal ?? code}`))
    this.#processes.add(it)
    send(it, { kind: 'equip', equipment: this.#options.equipment })
    return it
  }

  #hear(it: Process, message: FromWorker): void {
    const ear = it.ears.get(message.job)
    if (message.kind === 'done' || message.kind === 'failed') this.#over(it, message.job)
    ear?.told(message)
  }

  #over(it: Process, job: number): void {
    it.ears.delete(job)
    if (it.ears.size > 0) return
    clearTimeout(it.idle)
    it.idle = setTimeout(() => void this.#end(it), this.#options.idleMs).unref()
  }

  #lose(it: Process, why: string): void {
    this.#processes.delete(it)
    clearTimeout(it.idle)
    const ears = [...it.ears.values()]
    it.ears.clear()
    for (const ear of ears) ear.lost(why)
  }

  /** Closing the channel is the sign to go; one that does not is ended. Whoever still waited is told so. */
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

function send({ child }: Process, message: ToWorker): void {
  // A process that is going has no ears; its end is noticed by itself.
  if (child.connected) child.send(message, () => undefined)
}
