// One service process that faults are done to: started again whenever it ends, as an operator's supervisor does.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { DatabaseLine } from '../../sims/database-line.ts'
import { CLI, environmentOf } from '../server.ts'
import { required } from './waiting.ts'

const READY_WITHIN_MS = 60_000
const STOPPED_WITHIN_MS = 30_000
const RESTART_AFTER_MS = 250
const LOG_TAIL = 1_500

type NodeOptions = {
  readonly folder: string
  readonly port: number
  readonly settings: Readonly<Record<string, string>>
  /** Its way to the database. Null where the database is embedded. */
  readonly line: DatabaseLine | null
}

export class ServiceNode {
  readonly url: string
  readonly folder: string
  readonly line: DatabaseLine | null
  readonly #settings: Readonly<Record<string, string>>
  #child: ChildProcess | null = null
  #closing = false
  #isDeathWanted = false
  #deaths = 0

  /** It runs; that it is ready has to be waited for. */
  constructor({ folder, port, settings, line }: NodeOptions) {
    this.url = `http://127.0.0.1:${port}`
    this.folder = folder
    this.line = line
    this.#settings = { ...settings, PORT: String(port) }
    this.#run()
  }

  pid(): number {
    return this.#child?.pid ?? 0
  }

  /** How often it ended by itself. */
  deaths(): number {
    return this.#deaths
  }

  kill(): void {
    this.#isDeathWanted = true
    this.#child?.kill('SIGKILL')
  }

  ready(): Promise<void> {
    const isReady = async () => (await fetch(`${this.url}/readyz`, { signal: AbortSignal.timeout(3_000) })).ok
    return required(`the service at ${this.url} is ready`, isReady, READY_WITHIN_MS)
  }

  async close(): Promise<void> {
    this.#closing = true
    this.line?.thaw()
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
      // A Ctrl-C in the terminal is for the bench, which then stops the service.
      detached: true,
    })
    this.#child = child
    child.once('exit', (code) => void this.#onExit(code))
  }

  async #onExit(code: number | null): Promise<void> {
    if (this.#closing) return
    if (!this.#isDeathWanted) {
      this.#deaths += 1
      console.error(`the service ended by itself with ${code}:\n${readFileSync(this.#logFile(), 'utf8').slice(-LOG_TAIL)}`)
    }
    this.#isDeathWanted = false
    await delay(RESTART_AFTER_MS)
    if (!this.#closing) this.#run()
  }

  #logFile(): string {
    return join(this.folder, 'service.log')
  }
}
