// The service as a process on an embedded PostgreSQL, in a folder that is removed afterwards.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { findPostmaster } from '../../src/service/postgres/postmaster.ts'
import type { BenchOptions } from '../options.ts'

export type BenchServer = {
  readonly url: string
  readonly apiKey: string
  /** Process ids, to measure who spends CPU time. */
  readonly pids: { readonly service: number; readonly postmaster: number }
  readonly connection: { readonly host: string; readonly port: number; readonly user: string; readonly database: string }
  /** A pool of direct connections to the service's database. */
  readonly db: pg.Pool
  /** DATA_DIR of the service. */
  readonly folder: string
  /** Registers a clean-up that runs before the service stops, last one first, also on interruption. */
  atEnd(end: () => Promise<unknown>): void
}

export const CLI = fileURLToPath(new URL('../../src/cli.ts', import.meta.url))
export const API_KEY = 'em_bench_key_of_the_first_workspace'
const READY_WITHIN_MS = 60_000
const STOPPED_WITHIN_MS = 30_000
const DATABASE_CONNECTIONS = 16

export async function withServer<Result>(options: BenchOptions, work: (server: BenchServer) => Promise<Result>): Promise<Result> {
  const folder = await mkdtemp(join(tmpdir(), 'emissary-bench-'))
  // As root, the database runs as another user, which must be able to traverse the folder.
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
    // A broken connection is reported by the query that uses it.
    db.on('error', () => undefined).on('connect', (client) => client.on('error', () => undefined))
    pools.push(db)
    const pids = { service: service.pid, postmaster: postmaster.pid }
    return await work({ url, apiKey: API_KEY, pids, connection, db, folder, atEnd: (end) => ends.push(end) })
  } finally {
    await close()
    process.off('SIGINT', interrupted).off('SIGTERM', interrupted)
  }
}

/** Runs in the empty folder so that no `.env` applies. PATH is for the tools that start the database. */
function startService(folder: string, { cpuProfile, settings }: BenchOptions): ChildProcess {
  const flags = cpuProfile ? ['--cpu-prof', `--cpu-prof-dir=${resolve(cpuProfile)}`] : []
  return spawn(process.execPath, [...flags, CLI, 'serve'], {
    cwd: folder,
    env: environmentOf(folder, settings),
    // Its log contains errors only and goes to our stderr.
    stdio: ['ignore', 2, 'pipe'],
    // Ctrl-C goes to the bench, which then stops the service.
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
  const url = await printedUrl(service)
  const deadline = Date.now() + READY_WITHIN_MS
  while (Date.now() < deadline) {
    const { ok } = await fetch(`${url}/readyz`)
    if (ok) return url
    await delay(50)
  }
  throw new Error(`bench: the service at ${url} is not ready`)
}

/** The service prints its address. The rest of its output is shown only on failure. */
function printedUrl(service: ChildProcess): Promise<string> {
  return new Promise((found, failed) => {
    let output = ''
    service.stderr?.on('data', (chunk: Buffer) => {
      output = (output + chunk.toString()).slice(-10_000)
      const url = /is ready at (http:\/\/\S+)/.exec(output)?.[1]
      if (url) found(url)
    })
    service.once('error', failed)
    service.once('exit', () => failed(new Error(`bench: the service ended while it started:\n${output}`)))
    setTimeout(() => failed(new Error(`bench: the service did not start in time:\n${output}`)), READY_WITHIN_MS).unref()
  })
}

/** A failing clean-up does not prevent the others. */
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
  // After the service: a statement of an interrupted bench ends with the database.
  await Promise.all(pools.map((pool) => pool.end()))
  await rm(folder, { recursive: true, force: true })
}
