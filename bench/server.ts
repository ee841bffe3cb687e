// The service as it is shipped, in a process of its own, on an embedded PostgreSQL in a folder that is removed afterwards.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { findPostmaster } from '../src/service/db/postgres-postmaster.ts'
import type { MEDIA_PATHS, Platform } from './venue.ts'

export type BenchOptions = {
  readonly plans: boolean
  readonly profile: string | undefined
  /** Where the meetings are; a bench has a usual place of its own. */
  readonly platform?: Platform | undefined
  /** How a page of Google Meet plays its sound: by the browser, or by a decoder of its own. */
  readonly media?: (typeof MEDIA_PATHS)[number] | undefined
  readonly minutes?: number | undefined
  /** How many faults of each kind, which kinds, and the seed of their moments (crash). */
  readonly count?: number | undefined
  readonly kinds?: readonly string[] | undefined
  readonly seed?: number | undefined
  /** Settings of the service that differ from the usual ones. */
  readonly settings?: Readonly<Record<string, string>>
}

export type BenchServer = {
  readonly url: string
  readonly apiKey: string
  /** Process numbers, for who spends the time. */
  readonly pids: { readonly service: number; readonly postmaster: number }
  readonly connection: { readonly host: string; readonly port: number; readonly user: string; readonly database: string }
  /** Straight to the service's database. */
  readonly db: pg.Pool
  /** Where the service keeps its data. */
  readonly folder: string
  /** To be done before the service is stopped, also when the bench is interrupted; the last one first. */
  atEnd(end: () => Promise<unknown>): void
}

export const CLI = fileURLToPath(new URL('../src/cli.ts', import.meta.url))
export const API_KEY = 'em_bench_key_of_the_first_workspace'
const READY_WITHIN_MS = 60_000
const STOPPED_WITHIN_MS = 30_000
const DATABASE_CONNECTIONS = 16

export async function withServer<Result>(options: BenchOptions, work: (server: BenchServer) => Promise<Result>): Promise<Result> {
  const folder = await mkdtemp(join(tmpdir(), 'emissary-bench-'))
  // The database runs as another user when we are root, and has to get through.
  await chmod(folder, 0o711)
  const service = startService(folder, options)
  const pools: pg.Pool[] = []
  const ends: (() => Promise<unknown>)[] = []
  let closing: Promise<void> | undefined
  const close = (): Promise<void> => {
    closing ??= endAll(ends).then(() => closeAll(folder, service, pools))
    return closing
  }
  const interrupted = () => void close().finally(() => process.exit(130))
  process.on('SIGINT', interrupted).on('SIGTERM', interrupted)
  try {
    const url = await readyUrl(service)
    const postmaster = await findPostmaster(join(folder, 'postgres', 'cluster'))
    if (!postmaster || service.pid === undefined) throw new Error('bench: the service is ready, but its database cannot be found')
    const connection = { host: postmaster.socketDirectory, port: postmaster.port, user: 'emissary', database: 'emissary' }
    const db = new pg.Pool({ ...connection, max: DATABASE_CONNECTIONS })
    // What breaks a connection is told by the query that needed it, be the connection idle or lent.
    db.on('error', () => undefined).on('connect', (client) => client.on('error', () => undefined))
    pools.push(db)
    const pids = { service: service.pid, postmaster: postmaster.pid }
    return await work({ url, apiKey: API_KEY, pids, connection, db, folder, atEnd: (end) => ends.push(end) })
  } finally {
    await close()
    process.off('SIGINT', interrupted).off('SIGTERM', interrupted)
  }
}

/** In the empty folder, so that no `.env` has a say; PATH is for the tools the database's launch may need. */
function startService(folder: string, { profile, settings }: BenchOptions): ChildProcess {
  const flags = profile ? ['--cpu-prof', `--cpu-prof-dir=${resolve(profile)}`] : []
  return spawn(process.execPath, [...flags, CLI, 'serve'], {
    cwd: folder,
    env: environmentOf(folder, settings),
    // Its log, which holds errors only, goes where ours goes.
    stdio: ['ignore', 2, 'pipe'],
    // A Ctrl-C in the terminal is for the bench, which then stops the service.
    detached: true,
  })
}

export function environmentOf(folder: string, settings: BenchOptions['settings'] = {}): Readonly<Record<string, string>> {
  return {
    PATH: '/usr/local/bin:/usr/bin:/bin',
    DATA_DIR: folder,
    PORT: '0',
    BOOTSTRAP_API_KEY: API_KEY,
    RATE_LIMIT_PER_MINUTE: '10000000',
    ALLOW_INSECURE_URLS: 'true',
    LOG_LEVEL: 'error',
    LOG_FORMAT: 'json',
    BROWSER_MODE: 'headless',
    ...settings,
  }
}

async function readyUrl(service: ChildProcess): Promise<string> {
  const url = await spokenUrl(service)
  const deadline = Date.now() + READY_WITHIN_MS
  while (Date.now() < deadline) {
    const { ok } = await fetch(`${url}/readyz`)
    if (ok) return url
    await delay(50)
  }
  throw new Error(`bench: the service at ${url} is not ready`)
}

/** The service says where it listens; everything else it says is shown only when it fails. */
function spokenUrl(service: ChildProcess): Promise<string> {
  return new Promise((found, failed) => {
    let said = ''
    service.stderr?.on('data', (chunk: Buffer) => {
      said = (said + chunk.toString()).slice(-10_000)
      const url = /is ready at (http:\/\/\S+)/.exec(said)?.[1]
      if (url) found(url)
    })
    service.once('error', failed)
    service.once('exit', () => failed(new Error(`bench: the service ended while it started:\n${said}`)))
    setTimeout(() => failed(new Error(`bench: the service did not start in time:\n${said}`)), READY_WITHIN_MS).unref()
  })
}

/** One that fails keeps nobody else from ending. */
async function endAll(ends: readonly (() => Promise<unknown>)[]): Promise<void> {
  for (const end of ends.toReversed()) await end().catch((error: unknown) => console.error(error))
}

async function closeAll(folder: string, service: ChildProcess, pools: readonly pg.Pool[]): Promise<void> {
  if (service.exitCode === null && service.signalCode === null) {
    service.kill('SIGTERM')
    const late = setTimeout(() => service.kill('SIGKILL'), STOPPED_WITHIN_MS)
    await once(service, 'exit')
    clearTimeout(late)
  }
  // Not before: an interrupted bench may have a statement under way, which ends with the database.
  await Promise.all(pools.map((pool) => pool.end()))
  await rm(folder, { recursive: true, force: true })
}
