// PostgreSQL of the distribution, as an operator has it: another major version and collation than the embedded one, reached by TCP with a password.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, chown, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { runProcess } from '../../../src/kit/process.ts'
import { launcherFor, pickDatabaseUser } from '../../../src/service/postgres/database-user.ts'
import { until } from '../until.ts'
import { freePort } from './free-port.ts'

const PROGRAMS = '/usr/lib/postgresql'
const PASSWORD = 'the-password-of-tests'
/** initdb and the start of a server on a busy machine. */
const WITHIN_MS = 60_000

export type DebianPostgres = {
  /** The major version, such as 15. */
  readonly version: number
  /** The URL of a new, empty database whose owner is no superuser. */
  database(): Promise<string>
  stop(): Promise<void>
}

export async function startDebianPostgres(): Promise<DebianPostgres> {
  const version = Math.max(...(await readdir(PROGRAMS)).map(Number).filter(Number.isFinite))
  const folder = await mkdtemp(join(tmpdir(), 'emissary-debian-'))
  await chmod(folder, 0o711)
  const user = await pickDatabaseUser(join(folder, 'cluster'))
  await chown(folder, user.uid, user.gid)
  const launcher = await launcherFor(user, [PROGRAMS, folder])
  const programOf = (name: string, args: readonly string[]) => launcher(join(PROGRAMS, String(version), 'bin', name), [...args])
  const [cluster, passwords, port] = [join(folder, 'cluster'), join(folder, 'password'), await freePort()]
  await writeFile(passwords, PASSWORD)
  await chmod(passwords, 0o644)
  const made = programOf('initdb', ['-D', cluster, '-U', 'admin', '-A', 'scram-sha-256', '--pwfile', passwords, '--locale=C.UTF-8', '-N'])
  await runProcess({ program: made.command, args: made.args, identity: made.identity, cwd: '/', limitMs: WITHIN_MS })
  const options = { port, listen_addresses: '127.0.0.1', unix_socket_directories: '', fsync: 'off' }
  const parameters = Object.entries(options).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const { command, args, identity } = programOf('postgres', ['-D', cluster, ...parameters])
  const server = spawn(command, args, { ...identity, cwd: '/', stdio: 'ignore' })
  const ask = async (...statements: readonly string[]): Promise<void> => {
    const client = new pg.Client({ connectionString: `postgres://admin:${PASSWORD}@127.0.0.1:${port}/postgres` })
    await client.connect()
    try {
      for (const statement of statements) await client.query(statement)
    } finally {
      await client.end()
    }
  }
  let databases = 0
  const stop = async (): Promise<void> => {
    if (server.exitCode === null && server.signalCode === null) {
      server.kill('SIGINT')
      await once(server, 'exit')
    }
    await rm(folder, { recursive: true, force: true })
  }
  const answers = () => ask(`create role operator login password '${PASSWORD}'`).then(() => true)
  await until('the PostgreSQL of Debian answers', answers, WITHIN_MS).catch(async (error: unknown) => {
    await stop()
    throw error
  })
  return {
    version,
    async database() {
      databases += 1
      await ask(`create database d${databases} owner operator`)
      return `postgres://operator:${PASSWORD}@127.0.0.1:${port}/d${databases}`
    },
    stop,
  }
}
