// The service's side of its keeper: workers as objects, and what came of each renewal.
import { Worker } from 'node:worker_threads'
import type { ToWorker } from '../../../domain/protocol.ts'
import type { Logger } from '../../../kit/log.ts'
import type { Claim } from '../../db/fleet/claims.ts'
import { Keeper, type KeeperEvent, type KeeperOptions, type KeeperOrder, type Renewed, type WorkerEvent } from './keeper.ts'
import type { KeeperThreadData } from './keeper-thread.ts'
import type { WorkerLaunch } from './worker-process.ts'

/** The thread makes little garbage. The default takes 9 MB more. */
const LIMITS = { maxYoungGenerationSizeMb: 4 }

const THREAD = new URL('./keeper-thread.ts', import.meta.url)

/** The process of a worker. */
export type WorkerProcess = {
  readonly pid: number | null
  readonly hasExited: boolean
  send(message: ToWorker): void
  disconnect(): void
  kill(): void
  onEvent(listen: (event: WorkerEvent) => void): void
}

/** How orders reach the keeper, and its events come back. */
export type KeeperLink = {
  send(order: KeeperOrder): void
  onEvent(listen: (event: KeeperEvent) => void): void
  stop(): Promise<void>
}

export class KeeperClient {
  readonly #link: KeeperLink
  readonly #workers = new Map<number, (event: WorkerEvent) => void>()
  #started = 0

  constructor(link: KeeperLink, { log, onRenewed }: { readonly log: Logger; readonly onRenewed: (renewed: Renewed) => void }) {
    this.#link = link
    link.onEvent((event) => {
      if (event.kind === 'worker') this.#workers.get(event.worker)?.(event.event)
      else if (event.kind === 'renewed') onRenewed(event)
      else log.error({ detail: event.message }, 'claims could not be renewed')
    })
  }

  /** Names the claims that are renewed from now on, which also shows that this process is not hung. */
  setClaims(claims: readonly Claim[]): void {
    // Only what the keeper needs: a thread takes plain data.
    this.#link.send({ kind: 'claims', claims: claims.map(({ botId, fence }) => ({ botId, fence })) })
  }

  startWorker(launch: WorkerLaunch): WorkerProcess {
    this.#started += 1
    const worker = this.#started
    const listeners: ((event: WorkerEvent) => void)[] = []
    const state = { pid: null as number | null, hasExited: false }
    this.#workers.set(worker, (event) => {
      if (event.kind === 'started') state.pid = event.pid
      if (event.kind === 'exited') {
        state.hasExited = true
        this.#workers.delete(worker)
      }
      for (const listen of listeners) listen(event)
    })
    const link = this.#link
    link.send({ kind: 'start', worker, launch })
    return {
      get pid() {
        return state.pid
      },
      get hasExited() {
        return state.hasExited
      },
      send: (message) => link.send({ kind: 'send', worker, message }),
      disconnect: () => link.send({ kind: 'disconnect', worker }),
      kill: () => link.send({ kind: 'kill', worker }),
      onEvent: (listen) => void listeners.push(listen),
    }
  }

  stop(): Promise<void> {
    return this.#link.stop()
  }
}

/** A keeper in the thread of its service, for simulations and tests. */
export function keepInThisThread(options: Omit<KeeperOptions, 'onEvent'>): KeeperLink {
  let listen = (_event: KeeperEvent): void => undefined
  const keeper = new Keeper({ ...options, onEvent: (event) => listen(event) })
  return {
    send: (order) => keeper.receive(order),
    onEvent(listener) {
      listen = listener
    },
    stop: () => keeper.stop(),
  }
}

/** The thread starts with the first worker or claim: a node without bots needs none. */
export function keepInThread(data: KeeperThreadData): KeeperLink {
  let thread: Worker | null = null
  let exited: Promise<void> = Promise.resolve()
  let listen = (_event: KeeperEvent): void => undefined

  function start(): Worker {
    const started = new Worker(THREAD, {
      workerData: data,
      execArgv: ['--disable-warning=ExperimentalWarning'],
      resourceLimits: LIMITS,
    })
    exited = new Promise((resolve) => started.once('exit', () => resolve()))
    started.on('message', (event: KeeperEvent) => listen(event))
    return started
  }

  return {
    send(order) {
      if (!thread && order.kind === 'claims' && order.claims.length === 0) return
      thread ??= start()
      thread.postMessage(order)
    },
    onEvent(listener) {
      listen = listener
    },
    async stop() {
      thread?.postMessage('stop')
      await exited
    },
  }
}
