// Brings the embedded database server up, or adopts the one that a killed service left, and lets it down again.
import { spawn } from 'node:child_process'
import { type FileHandle, open, rename, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { Client } from 'pg'
import { ENVIRONMENT, type Place, PORT } from './postgres-cluster.ts'
import { discardStaleLocks, findPostmaster, isPostmasterOf, type Postmaster } from './postgres-postmaster.ts'
import { connectTo } from './postgres-session.ts'

export type Settings = Readonly<Record<string, string | number>>

const DEADLINE_MS = 60_000
const LOOK_AGAIN_MS = 10
const FAST_WITHIN_MS = 2_500
const LARGEST_LOG_BYTES = 10 * 1024 * 1024
const LONGEST_COMPLAINT_BYTES = 16 * 1024

/** Given on the command line, so that a new version of Emissary changes them without touching the cluster. */
const SETTINGS: Settings = {
  listen_addresses: '',
  port: PORT,
  unix_socket_permissions: '0700',
  fsync: 'on',
  // After a crash one syncfs instead of an fsync of a thousand files: 0.7 s until it answers instead of 2 s, measured on a busy machine.
  recovery_init_sync_method: 'syncfs',
  shared_buffers: '128MB',
  max_connections: 100,
  timezone: 'UTC',
  log_timezone: 'UTC',
  log_checkpoints: 'off',
  // Statements and row values can hold what people said; the service logs its own errors.
  log_error_verbosity: 'terse',
  log_min_error_statement: 'panic',
}

/** What a server says when another one, or what is left of it, is still going down or already there. */
const PASSING_FAILURE = /pre-existing shared memory block|lock file .* (already exists|is empty)/

export interface Running {
  readonly postmaster: Postmaster
  readonly session: Client
  readonly adopted: boolean
}

interface Attempt {
  readonly pid: number | undefined
  /** Why it ended, or undefined while it runs. */
  failure(): string | undefined
}

/** One loop for every case: no server, a stale one, one that starts, recovers or goes down, and one that answers. */
export async function bringUp(place: Place, settings: Settings = {}): Promise<Running> {
  const deadline = Date.now() + DEADLINE_MS
  let attempt: Attempt | undefined
  while (Date.now() < deadline) {
    const postmaster = await findPostmaster(place.cluster)
    if (postmaster !== undefined) {
      const session = postmaster.ready ? await connectTo(postmaster, place.cluster) : undefined
      if (session !== undefined) return { postmaster, session, adopted: postmaster.pid !== attempt?.pid }
    } else if (attempt === undefined || hasFailed(attempt, place)) {
      await discardStaleLocks(place.cluster, join(place.socketDirectory, `.s.PGSQL.${PORT}.lock`))
      attempt = await launch(place, { ...SETTINGS, ...settings, unix_socket_directories: quoted(place.socketDirectory) })
    }
    await delay(LOOK_AGAIN_MS)
  }
  throw new Error(`The database in ${place.directory} did not answer within ${DEADLINE_MS / 1000} s. ${place.logFile} says why.`)
}

/** The setting is a list of folders: a comma in the path would part it. */
function quoted(folder: string): string {
  return `"${folder.replaceAll('"', '""')}"`
}

function hasFailed(attempt: Attempt, place: Place): boolean {
  const failure = attempt.failure()
  if (failure === undefined) return false
  if (PASSING_FAILURE.test(failure)) return true
  throw new Error(`PostgreSQL did not start in ${place.directory}: ${failure}`)
}

/** In a session of its own: Ctrl-C in the terminal must not end the database before the service has drained. */
async function launch(place: Place, settings: Settings): Promise<Attempt> {
  const parameters = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const { command, args, identity } = place.launcher(place.postgres, ['-D', place.cluster, ...parameters])
  const log = await openLog(place.logFile)
  const start = (await log.stat()).size
  let failure: string | undefined
  const child = spawn(command, args, { ...identity, cwd: '/', env: ENVIRONMENT, detached: true, stdio: ['ignore', log.fd, log.fd] })
  child.once('error', (error) => {
    failure = error.message
  })
  child.once('exit', async (code, signal) => {
    failure = (await complaint(place.logFile, start).catch(() => '')) || `it ended with ${signal ?? code}`
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

/** What the server wrote since it started, as far as it says why it ended. */
async function complaint(file: string, start: number): Promise<string> {
  const handle = await open(file, 'r')
  try {
    const { buffer, bytesRead } = await handle.read({ buffer: Buffer.alloc(LONGEST_COMPLAINT_BYTES), position: start })
    const lines = buffer.toString('utf8', 0, bytesRead).trim().split('\n')
    const fatal = lines.filter((line) => /FATAL|PANIC/.test(line))
    return (fatal.length > 0 ? fatal : lines).join('\n')
  } finally {
    await handle.close()
  }
}

/**
 * Fast shutdown: open transactions are rolled back, everything committed is written, then the server ends. Where the writing takes long the
 * server ends without it, and the next start writes what is in the log.
 */
export async function bringDown(postmaster: Postmaster, place: Place): Promise<void> {
  const deadline = Date.now() + DEADLINE_MS
  if (!(await isPostmasterOf(postmaster.pid, place.cluster))) return
  process.kill(postmaster.pid, 'SIGINT')
  let immediateAt = Date.now() + FAST_WITHIN_MS
  while (await isPostmasterOf(postmaster.pid, place.cluster)) {
    if (Date.now() > immediateAt) {
      process.kill(postmaster.pid, 'SIGQUIT')
      immediateAt = Number.POSITIVE_INFINITY
    }
    if (Date.now() > deadline) throw new Error(`The database in ${place.directory} is still shutting down (process ${postmaster.pid}).`)
    await delay(LOOK_AGAIN_MS)
  }
}
