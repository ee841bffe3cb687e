// The service that faults are done to: started again whenever it ends, as an operator's supervisor does, on a database of its own.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { type DatabaseLine, openDatabaseLine } from '../../sims/database-line.ts'
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../src/service/db/embedded-postgres.ts'
import { findPostmaster, type Postmaster } from '../../src/service/db/postgres-postmaster.ts'
import { API_KEY, CLI, environmentOf } from '../server.ts'
import { Remains } from './remains.ts'
import { cameTrue, required } from './waiting.ts'

/** `embedded`: the service runs its database. `outside`: it reaches one over a line that can freeze and be cut. */
export type Place = 'embedded' | 'outside'

const READY_WITHIN_MS = 60_000
const STOPPED_WITHIN_MS = 30_000
const RESTART_AFTER_MS = 250
const QUERY_WITHIN_MS = 60_000
const LOG_TAIL = 1_500

export class Subject {
  readonly url: string
  readonly apiKey = API_KEY
  readonly folder: string
  readonly remains = new Remains()
  /** Null where the database is embedded. */
  readonly line: DatabaseLine | null
  readonly #outside: EmbeddedPostgres | null
  readonly #settings: Readonly<Record<string, string>>
  #child: ChildProcess | null = null
  #closing = false
  #isDeathWanted = false
  #deaths = 0

  static async start(place: Place, folder: string, settings: Readonly<Record<string, string>>): Promise<Subject> {
    const outside = place === 'outside' ? await startEmbeddedPostgres({ directory: clusterFolder(folder) }) : null
    const line = outside && (await openDatabaseLine({ path: `${outside.connection.host}/.s.PGSQL.${outside.connection.port}` }))
    const database = outside && line ? { DATABASE_URL: databaseUrl(outside, line) } : {}
    const subject = new Subject(folder, { ...settings, ...database }, outside, line)
    subject.#run()
    await required('the service is ready', () => subject.isReady(), READY_WITHIN_MS)
    return subject
  }

  private constructor(
    folder: string,
    settings: Readonly<Record<string, string>>,
    outside: EmbeddedPostgres | null,
    line: DatabaseLine | null,
  ) {
    this.folder = folder
    this.url = `http://127.0.0.1:${settings.PORT}`
    this.line = line
    this.#outside = outside
    this.#settings = settings
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

  async isReady(): Promise<boolean> {
    return (await fetch(`${this.url}/readyz`, { signal: AbortSignal.timeout(3_000) })).ok
  }

  async postmaster(): Promise<Postmaster> {
    const found = await findPostmaster(join(clusterFolder(this.folder), 'cluster'))
    if (!found) throw new Error('bench: the database does not run')
    return found
  }

  /** Straight to the database, past the line. Asked again until it answers. */
  async query<Row extends pg.QueryResultRow>(text: string, values: readonly unknown[] = []): Promise<readonly Row[]> {
    let rows: readonly Row[] = []
    const answered = async () => {
      rows = await this.#ask<Row>(text, values)
      return true
    }
    await required('the database answers', answered, QUERY_WITHIN_MS)
    return rows
  }

  /** Says how many processes were left behind; none is afterwards. */
  async close(): Promise<number> {
    this.#closing = true
    this.line?.thaw()
    const child = this.#child
    if (child && child.exitCode === null && child.signalCode === null) {
      const ended = once(child, 'exit')
      child.kill('SIGTERM')
      const late = setTimeout(() => child.kill('SIGKILL'), STOPPED_WITHIN_MS)
      await ended
      clearTimeout(late)
    }
    await this.line?.close()
    await this.#outside?.stop()
    return this.remains.end()
  }

  async #ask<Row extends pg.QueryResultRow>(text: string, values: readonly unknown[]): Promise<Row[]> {
    const { socketDirectory: host, port } = await this.postmaster()
    const client = new pg.Client({ host, port, user: 'emissary', database: 'emissary', connectionTimeoutMillis: 3_000 })
    client.on('error', () => undefined)
    try {
      await client.connect()
      return (await client.query<Row>(text, [...values])).rows
    } finally {
      await client.end().catch(() => undefined)
    }
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
    this.remains.follow(() => this.pid())
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

export async function isServing(subject: Subject, withinMs = READY_WITHIN_MS): Promise<boolean> {
  return cameTrue(() => subject.isReady(), withinMs)
}

function clusterFolder(folder: string): string {
  return join(folder, 'postgres')
}

function databaseUrl({ connection }: EmbeddedPostgres, { host, port }: DatabaseLine): string {
  return `postgres://${connection.user}@${host}:${port}/${connection.database}`
}
