// PgBouncer, Debian's package, in front of a database of the tests' PostgreSQL.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { inject } from 'vitest'
import { until } from '../until.ts'
import { startDatabaseProxy } from './database-proxy.ts'
import { freePort } from './free-port.ts'

export type PgBouncer = {
  /** A value for DATABASE_URL. */
  readonly url: string
  /** How many connections its clients have, without its console. */
  clientConnections(): Promise<number>
  stop(): Promise<void>
}

export type PgBouncerSettings = {
  readonly pool_mode: 'transaction' | 'session'
  readonly default_pool_size?: number
  readonly ignore_startup_parameters?: string
}

const LISTENS_WITHIN_MS = 20_000

/** For the database that `url` names, which it reaches by TCP: another user than root cannot reach the socket. */
export async function startPgBouncer(url: string, settings: PgBouncerSettings): Promise<PgBouncer> {
  const { user } = inject('postgres')
  const server = await startDatabaseProxy(url)
  const { port: serverPort, pathname } = new URL(server.url)
  const database = pathname.slice(1)
  const folder = await mkdtemp(join(tmpdir(), 'emissary-pgbouncer-'))
  await chmod(folder, 0o755)
  const port = await freePort()
  const file = join(folder, 'pgbouncer.ini')
  const own = { listen_addr: '127.0.0.1', listen_port: port, unix_socket_dir: '', auth_type: 'any', admin_users: user, ...settings }
  const lines = Object.entries(own).map(([name, value]) => `${name} = ${value}`)
  const target = `${database} = host=127.0.0.1 port=${serverPort} dbname=${database} user=${user}`
  await writeFile(file, `[databases]\n${target}\n[pgbouncer]\n${lines.join('\n')}\n`)
  const child = spawn('pgbouncer', ['-q', ...(process.getuid?.() === 0 ? ['-u', 'nobody'] : []), file], {
    // Debian keeps servers in /usr/sbin, which is on the PATH of root only.
    env: { PATH: `${process.env.PATH}:/usr/sbin` },
    stdio: 'ignore',
  })
  const ask = async (name: string, statement: string): Promise<pg.QueryResult> => {
    const client = new pg.Client({ host: '127.0.0.1', port, user, database: name })
    await client.connect()
    return client.query(statement).finally(() => client.end())
  }
  const stop = async (): Promise<void> => {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill('SIGKILL')
      await once(child, 'exit')
    }
    await server.stop()
    await rm(folder, { recursive: true, force: true })
  }
  const answers = () =>
    ask('pgbouncer', 'show version').then(
      () => true,
      () => false,
    )
  await until('PgBouncer answers', answers, LISTENS_WITHIN_MS).catch(async (error: unknown) => {
    await stop()
    throw error
  })
  return {
    url: `postgres://${user}@127.0.0.1:${port}/${database}`,
    clientConnections: async () => (await ask('pgbouncer', 'show clients')).rows.filter((row) => row.database === database).length,
    stop,
  }
}
