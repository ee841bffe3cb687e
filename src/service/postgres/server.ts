// Starts the embedded database server, or adopts the one that a killed service left, and stops it.
import { spawn } from 'node:child_process'
import { type FileHandle, open, rename, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { Client } from 'pg'
import { type ClusterPaths, ENVIRONMENT, PORT } from './cluster.ts'
import { connectTo } from './owner-session.ts'
import { discardStaleLocks, findPostmaster, isPostmasterOf, type Postmaster } from './postmaster.ts'

export type Settings = Readonly<Record<string, string | number>>

const DEADLINE_MS = 60_000
const POLL_MS = 10
const FAST_WITHIN_MS = 2_500
const LARGEST_LOG_BYTES = 10 * 1024 * 1024
const LONGEST_FAILURE_BYTES = 16 * 1024

/** Given on the command line, so that a new version of Emissary changes them without touching the cluster. */
const SETTINGS: Settings = {
  listen_addresses: '',
  port: PORT,
  unix_socket_permissions: '0700',
  fsync: 'on',
  // One syncfs after a crash instead of an fsync of a thousand files: recovery takes 0.7 s instead of 2 s, measured on a busy machine.
  recovery_init_sync_method: 'syncfs',
  shared_buffers: '128MB',
  max_connections: 100,
  timezone: 'UTC',
  log_timezone: 'UTC',
  log_checkpoints: 'off',
  // Statements and row values can hold transcripts of people's speech. The service logs its own errors.
  log_error_verbosity: 'terse',
  log_min_error_statement: 'panic',
}

/** Messages of a server that meets another one, or the remains of one, that is running or shutting down. */
const PASSING_FAILURE = /pre-existing shared memory block|lock file .* (already exists|is empty)/

export interface RunningServer {
  readonly postmaster: Postmaster
  readonly session: Client
  readonly adopted: boolean
}

interface Attempt {
  readonly pid: number | undefined
  /** Why it ended; undefined while it runs. */
  failure(): string | undefined
}

/** One loop for every case: no server, a stale one, one that starts, recovers or shuts down, and one that answers. */
export async function startServer(paths: ClusterPaths, settings: Settings = {}): Promise<RunningServer> {
  const deadline = Date.now() + DEADLINE_MS
  let attempt: Attempt | undefined
  while (Date.now() < deadline) {
    const postmaster = await findPostmaster(paths.cluster)
    if (postmaster !== undefined) {
      const session = postmaster.ready ? await connectTo(postmaster, paths.cluster) : undefined
      if (session !== undefined) return { postmaster, session, adopted: postmaster.pid !== attempt?.pid }
    } else if (attempt === undefined || hasFailed(attempt, paths)) {
      await discardStaleLocks(paths.cluster, join(paths.socketDirectory, `.s.PGSQL.${PORT}.lock`))
      attempt = await launch(paths, { ...SETTINGS, ...settings, unix_socket_directories: quoted(paths.socketDirectory) })
    }
    await delay(POLL_MS)
  }
  throw new Error(`The database in ${paths.directory} did not answer within ${DEADLINE_MS / 1000} s. ${paths.logFile} says why.`)
}

/** The setting is a list of folders, so a comma in the path must be quoted. */
function quoted(folder: string): string {
  return `"${folder.replaceAll('"', '""')}"`
}

function hasFailed(attempt: Attempt, paths: ClusterPaths): boolean {
  const failure = attempt.failure()
  if (failure === undefined) return false
  if (PASSING_FAILURE.test(failure)) return true
  throw new Error(`PostgreSQL did not start in ${paths.directory}: ${failure}`)
}

/** Runs in its own session: Ctrl-C in the terminal must not stop the database before the service has drained. */
async function launch(paths: ClusterPaths, settings: Settings): Promise<Attempt> {
  const parameters = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const { command, args, identity } = paths.launcher(paths.postgres, ['-D', paths.cluster, ...parameters])
  const log = await openLog(paths.logFile)
  const start = (await log.stat()).size
  let failure: string | undefined
  const child = spawn(command, args, { ...identity, cwd: '/', env: ENVIRONMENT, detached: true, stdio: ['ignore', log.fd, log.fd] })
  child.once('error', (error) => {
    failure = error.message
  })
  child.once('exit', async (code, signal) => {
    failure = (await readFailure(paths.logFile, start).catch(() => '')) || `it ended with ${signal ?? code}`
  })
  child.unref()
  await log.close()
  return { pid: child.pid, failure: () => failure }
}

async function openLog(file: string): Promise<FileHandle> {
  const size = (await stat(file).catch(() => undefined))?.size ?? 0
  if (size > LARGEST_LOG_BYTES) await rename(file, `${file}.old`)
  return await open(file, 'a', 0o600)
}

/** The server's log since its start: the fatal lines, or else all. */
async function readFailure(file: string, start: number): Promise<string> {
  const handle = await open(file, 'r')
  try {
    const { buffer, bytesRead } = await handle.read({ buffer: Buffer.alloc(LONGEST_FAILURE_BYTES), position: start })
    const lines = buffer.toString('utf8', 0, bytesRead).trim().split('\n')
    const fatal = lines.filter((line) => /FATAL|PANIC/.test(line))
    return (fatal.length > 0 ? fatal : lines).join('\n')
  } finally {
    await handle.close()
  }
}

/**
 * Fast shutdown: rolls back open transactions, writes a checkpoint and exits. If the checkpoint takes long, an immediate shutdown follows, and
 * the next start replays the WAL.
 */
export async function stopServer(postmaster: Postmaster, paths: ClusterPaths): Promise<void> {
  const deadline = Date.now() + DEADLINE_MS
  if (!(await isPostmasterOf(postmaster.pid, paths.cluster))) return
  process.kill(postmaster.pid, 'SIGINT')
  let immediateAt = Date.now() + FAST_WITHIN_MS
  while (await isPostmasterOf(postmaster.pid, paths.cluster)) {
    if (Date.now() > immediateAt) {
      process.kill(postmaster.pid, 'SIGQUIT')
      immediateAt = Number.POSITIVE_INFINITY
    }
    if (Date.now() > deadline) throw new Error(`The database in ${paths.directory} is still shutting down (process ${postmaster.pid}).`)
    await delay(POLL_MS)
  }
}
