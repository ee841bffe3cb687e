// One service process, restarted whenever it exits, as by an operator's supervisor.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { openSync, readFileSync } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { TcpProxy } from '../../sims/tcp-proxy.ts'
import { treesOf } from '../harness/processes.ts'
import { CLI, environmentOf } from '../harness/server.ts'
import { endProcess } from './leftover-processes.ts'
import { required } from './wait.ts'

const READY_WITHIN_MS = 60_000
const STOPPED_WITHIN_MS = 30_000
const RESTART_AFTER_MS = 250
const LOG_TAIL = 1_500

type NodeOptions = {
  readonly folder: string
  readonly port: number
  readonly settings: Readonly<Record<string, string>>
  /** The proxy to its database. Null if the database is embedded. */
  readonly proxy: TcpProxy | null
}

export class ServiceNode {
  readonly url: string
  readonly folder: string
  readonly proxy: TcpProxy | null
  readonly #settings: Readonly<Record<string, string>>
  #child: ChildProcess | null = null
  #closing = false
  #isKillExpected = false
  #isLost = false
  #deaths = 0

  /** Starts the process without waiting until it is ready. */
  constructor({ folder, port, settings, proxy }: NodeOptions) {
    this.url = `http://127.0.0.1:${port}`
    this.folder = folder
    this.proxy = proxy
    this.#settings = { ...settings, PORT: String(port) }
    this.#run()
  }

  pid(): number {
    return this.#child?.pid ?? 0
  }

  /** How often it exited without being killed. */
  deaths(): number {
    return this.#deaths
  }

  kill(): void {
    this.#isKillExpected = true
    this.#child?.kill('SIGKILL')
  }

  isLost(): boolean {
    return this.#isLost
  }

  /** The machine is gone, with every process and its disk. It is not restarted before `replace`. */
  async lose(): Promise<void> {
    const child = this.#child
    this.#isLost = true
    if (!child) return
    const gone = once(child, 'exit')
    for (const pid of treesOf([this.pid()])) endProcess(pid)
    await gone
    await rm(this.folder, { recursive: true, force: true })
  }

  /** Starts a lost machine with an empty disk. */
  async replace(): Promise<void> {
    if (!this.#isLost) return
    await mkdir(this.folder, { recursive: true })
    this.#isLost = false
    this.#run()
  }

  ready(): Promise<void> {
    const isReady = async () => (await fetch(`${this.url}/readyz`, { signal: AbortSignal.timeout(3_000) })).ok
    return required(`the service at ${this.url} is ready`, isReady, READY_WITHIN_MS)
  }

  async close(): Promise<void> {
    this.#closing = true
    this.proxy?.thaw()
    const child = this.#child
    if (!child || child.exitCode !== null || child.signalCode !== null) return
    const ended = once(child, 'exit')
    child.kill('SIGTERM')
    const late = setTimeout(() => child.kill('SIGKILL'), STOPPED_WITHIN_MS)
    await ended
    clearTimeout(late)
  }

  #run(): void {
    const log = openSync(this.#logFile(), 'a')
    const child = spawn(process.execPath, [CLI, 'serve'], {
      cwd: this.folder,
      env: environmentOf(this.folder, this.#settings),
      stdio: ['ignore', log, log],
      // Ctrl-C goes to the bench, which then stops the service.
      detached: true,
    })
    this.#child = child
    child.once('exit', (code) => void this.#onExit(code))
  }

  async #onExit(code: number | null): Promise<void> {
    if (this.#closing || this.#isLost) return
    if (!this.#isKillExpected) {
      this.#deaths += 1
      console.error(`the service ended by itself with ${code}:\n${readFileSync(this.#logFile(), 'utf8').slice(-LOG_TAIL)}`)
    }
    this.#isKillExpected = false
    await delay(RESTART_AFTER_MS)
    if (!this.#closing) this.#run()
  }

  #logFile(): string {
    return join(this.folder, 'service.log')
  }
}
