// The service's side of its keeper: bot hosts as objects, and what came of each renewal.
import { Worker } from 'node:worker_threads'
import type { ToHost } from '../../domain/protocol.ts'
import type { Logger } from '../../kit/log.ts'
import type { Claim } from '../db/claims.ts'
import type { HostLaunch } from './host-process.ts'
import { type HostEvent, Keeper, type KeeperEvent, type KeeperOptions, type KeeperOrder, type Renewed } from './keeper.ts'
import type { KeeperThreadData } from './keeper-thread.ts'

/** The thread makes little garbage. The default takes 9 MB more. */
const LIMITS = { maxYoungGenerationSizeMb: 4 }

const THREAD = new URL('./keeper-thread.ts', import.meta.url)

/** The process of a bot host. */
export type HostProcess = {
  readonly pid: number | null
  readonly hasExited: boolean
  send(message: ToHost): void
  disconnect(): void
  kill(): void
  onEvent(listen: (event: HostEvent) => void): void
}

/** How orders reach the keeper, and its events come back. */
export type KeeperLink = {
  send(order: KeeperOrder): void
  onEvent(listen: (event: KeeperEvent) => void): void
  stop(): Promise<void>
}

export class KeeperClient {
  readonly #link: KeeperLink
  readonly #hosts = new Map<number, (event: HostEvent) => void>()
  #started = 0

  constructor(link: KeeperLink, { log, onRenewed }: { readonly log: Logger; readonly onRenewed: (renewed: Renewed) => void }) {
    this.#link = link
    link.onEvent((event) => {
      if (event.kind === 'host') this.#hosts.get(event.host)?.(event.event)
      else if (event.kind === 'renewed') onRenewed(event)
      else log.error({ detail: event.message }, 'claims could not be renewed')
    })
  }

  /** Names the claims that are renewed from now on, which also shows that this process is not hung. */
  setClaims(claims: readonly Claim[]): void {
    // Only what the keeper needs: a thread takes plain data.
    this.#link.send({ kind: 'claims', claims: claims.map(({ botId, fence }) => ({ botId, fence })) })
  }

  startHost(launch: HostLaunch): HostProcess {
    this.#started += 1
    const host = this.#started
    const listeners: ((event: HostEvent) => void)[] = []
    const state = { pid: null as number | null, hasExited: false }
    this.#hosts.set(host, (event) => {
      if (event.kind === 'started') state.pid = event.pid
      if (event.kind === 'exited') {
        state.hasExited = true
        this.#hosts.delete(host)
      }
      for (const listen of listeners) listen(event)
    })
    const link = this.#link
    link.send({ kind: 'start', host, launch })
    return {
      get pid() {
        return state.pid
      },
      get hasExited() {
        return state.hasExited
      },
      send: (message) => link.send({ kind: 'send', host, message }),
      disconnect: () => link.send({ kind: 'disconnect', host }),
      kill: () => link.send({ kind: 'kill', host }),
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

/** The thread starts with the first host or claim: a node without bots needs none. */
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
