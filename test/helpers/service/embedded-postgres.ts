// Embedded databases for tests: temporary folders, services that can be killed, and cleaning up.
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdir, mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { Client } from 'pg'
import {
  type EmbeddedPostgres,
  type EmbeddedPostgresOptions,
  startEmbeddedPostgres,
} from '../../../src/service/postgres/embedded-postgres.ts'
import { findPostmaster, isPostmasterOf } from '../../../src/service/postgres/postmaster.ts'
import { until } from '../until.ts'

type Connection = EmbeddedPostgres['connection']

const MODULE = new URL('../../../src/service/postgres/embedded-postgres.ts', import.meta.url).href
/** A service process that prints where its database is and then waits to be killed. */
const SERVICE = `
  const { startEmbeddedPostgres } = await import('${MODULE}')
  const database = await startEmbeddedPostgres({ directory: process.argv[1] })
  console.log(JSON.stringify(database.connection))
  setInterval(() => undefined, 60_000)
`

const folders: string[] = []
const directories = new Set<string>()
const children: ChildProcess[] = []
const databases: EmbeddedPostgres[] = []
let template: Promise<string> | undefined

/** Ends and removes everything created since the last call, except the template. */
export async function cleanUp(): Promise<void> {
  await Promise.all(children.splice(0).map(killed))
  await Promise.all(databases.splice(0).map((database) => database.stop()))
  await Promise.all([...directories].map(endPostmaster))
  directories.clear()
  await Promise.all(folders.splice(0).map((folder) => rm(folder, { recursive: true, force: true })))
}

async function endPostmaster(directory: string): Promise<void> {
  const cluster = join(directory, 'cluster')
  const postmaster = await findPostmaster(cluster)
  if (postmaster === undefined) return
  process.kill(postmaster.pid, 'SIGINT')
  await until('the server has ended', async () => !(await isPostmasterOf(postmaster.pid, cluster)), 20_000)
}

/** A path below a new folder that every user may traverse, as /var/lib is. */
export async function newFolder(...below: string[]): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'emissary-test-')))
  folders.push(folder)
  await chmod(folder, 0o711)
  return join(folder, ...below)
}

/** A folder with an empty database that was stopped cleanly. A copy of the template is faster than a new one. */
export async function folderWithDatabase(...below: string[]): Promise<string> {
  template ??= makeTemplate()
  const copy = await newFolder(...below, 'copy')
  await mkdir(dirname(copy), { recursive: true })
  await promisify(execFile)('cp', ['-a', await template, copy])
  return copy
}

async function makeTemplate(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'emissary-template-'))
  await chmod(directory, 0o711)
  await (await startEmbeddedPostgres({ directory })).stop()
  return directory
}

export async function removeTemplate(): Promise<void> {
  if (template !== undefined) await rm(await template, { recursive: true, force: true })
  template = undefined
}

export async function start(directory: string, options: Partial<EmbeddedPostgresOptions> = {}): Promise<EmbeddedPostgres> {
  directories.add(directory)
  const database = await startEmbeddedPostgres({ directory, ...options })
  databases.push(database)
  return database
}

/** The rows of the last statement. */
export async function ask(connection: Connection, ...statements: string[]): Promise<unknown[]> {
  const client = new Client(connection)
  await client.connect()
  try {
    let rows: unknown[] = []
    for (const statement of statements) rows = (await client.query(statement)).rows
    return rows
  } finally {
    await client.end()
  }
}

export function startService(directory: string): ChildProcess {
  directories.add(directory)
  return started(spawn(process.execPath, ['--input-type=module', '-e', SERVICE, directory], { stdio: ['ignore', 'pipe', 'inherit'] }))
}

/** Killed by `cleanUp` at the latest. */
export function started(child: ChildProcess): ChildProcess {
  children.push(child)
  return child
}

export async function connectionOf(service: ChildProcess): Promise<Connection> {
  if (service.stdout === null) throw new Error('The service has no output')
  const [line] = await once(createInterface(service.stdout), 'line')
  return JSON.parse(line)
}

export async function killed(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill('SIGKILL')
  await once(child, 'exit')
}
