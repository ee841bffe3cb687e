// The embedded database with its real binaries: first start, restart, adoption, stale locks, closed folders, crashes.
import { spawn } from 'node:child_process'
import { chmod, chown, cp, mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { afterAll, afterEach, describe, expect, test } from 'vitest'
import { locateBinaries } from '../../../src/service/postgres/cluster.ts'
import { findPostmaster, isPostmasterOf } from '../../../src/service/postgres/postmaster.ts'
import {
  ask,
  cleanUp,
  connectionOf,
  folderWithDatabase,
  killed,
  newFolder,
  removeTemplate,
  start,
  started,
  startService,
} from '../../helpers/service/embedded-postgres.ts'
import { until } from '../../helpers/until.ts'

const isRoot = process.getuid?.() === 0
const PLATFORM = `${process.platform}-${process.arch}`
const WRITE = ['CREATE TABLE said (word text)', "INSERT INTO said VALUES ('hello')"]
const READ = 'SELECT word FROM said'
const HELLO = [{ word: 'hello' }]

async function postmasterOf(directory: string): Promise<number> {
  const postmaster = await findPostmaster(join(directory, 'cluster'))
  if (postmaster === undefined) throw new Error(`No server runs in ${directory}`)
  return postmaster.pid
}

afterEach(cleanUp)
afterAll(removeTemplate)

describe('a new database', { timeout: 20_000 }, () => {
  test('runs as a user other than root, keeps its data over a restart, and leaves no process', async () => {
    const directory = await newFolder('data', 'postgres')
    const cluster = join(directory, 'cluster')
    const first = await start(directory)
    expect(first).toMatchObject({ adopted: false, connection: { host: cluster, user: 'emissary', database: 'emissary' } })
    await ask(first.connection, ...WRITE)
    const { mode, uid } = await stat(cluster)
    expect(mode & 0o777).toBe(0o700)
    expect(uid).toBeGreaterThan(0)
    const postmaster = await postmasterOf(directory)
    await first.stop()
    await first.stop()
    expect(await isPostmasterOf(postmaster, cluster)).toBe(false)

    const begin = performance.now()
    const second = await start(directory)
    expect(performance.now() - begin).toBeLessThan(1_500)
    expect(await ask(second.connection, READ)).toEqual(HELLO)
  })

  test('works below folders that other users cannot enter, for data and binaries', async () => {
    const closed = await newFolder()
    await chmod(closed, 0o700)
    await cp(dirname(locateBinaries(PLATFORM)), join(closed, 'native'), { recursive: true, verbatimSymlinks: true })
    const { connection } = await start(join(closed, 'postgres'), { binaries: join(closed, 'native', 'bin') })
    expect(await ask(connection, ...WRITE, READ)).toEqual(HELLO)
    expect((await stat(closed)).mode & 0o777).toBe(0o700)
  })

  test('is created again after the service was killed during its creation', async () => {
    const directory = await newFolder()
    const service = startService(directory)
    const unfinished = await until('initdb is at work', async () =>
      (await readdir(directory)).find((name) => name.startsWith('cluster.new')),
    )
    await until('it has written something', async () => (await readdir(join(directory, unfinished))).includes('PG_VERSION'))
    await killed(service)
    expect(await readdir(directory)).not.toContain('cluster')
    const { connection } = await start(directory)
    expect(await ask(connection, ...WRITE, READ)).toEqual(HELLO)
  })

  test('is refused with a message on a machine without a PostgreSQL package', () => {
    expect(() => locateBinaries('sunos-sparc')).toThrow('Set DATABASE_URL')
  })
})

describe('an existing database', { timeout: 20_000 }, () => {
  test('uses UTF-8, syncs its writes to disk, and listens on no network', async () => {
    const { connection } = await start(await folderWithDatabase(), { settings: { work_mem: '8MB' } })
    const names = `'server_encoding', 'fsync', 'listen_addresses', 'work_mem'`
    expect(await ask(connection, `SELECT name, setting FROM pg_settings WHERE name IN (${names}) ORDER BY name`)).toEqual([
      { name: 'fsync', setting: 'on' },
      { name: 'listen_addresses', setting: '' },
      { name: 'server_encoding', setting: 'UTF8' },
      { name: 'work_mem', setting: '8192' },
    ])
  })

  test('puts its socket into a shorter path when its own is too long, and removes it', async () => {
    const directory = await folderWithDatabase('long-'.repeat(15), 'and, "odd" long-'.repeat(5))
    const database = await start(directory)
    const { host } = database.connection
    expect(host).not.toContain('odd')
    expect((await stat(host)).mode & 0o777).toBe(0o700)
    expect(await ask(database.connection, ...WRITE, READ)).toEqual(HELLO)
    await database.stop()
    await expect(stat(host)).rejects.toThrow('ENOENT')
    if (!isRoot) return

    await mkdir(host, { mode: 0o700 })
    await chown(host, 12_345, 12_345)
    await expect(start(directory)).rejects.toThrow('belongs to another user or is open to others')
    await rm(host, { recursive: true })
  })

  test('serves one service at a time', async () => {
    const directory = await folderWithDatabase()
    const { connection } = await start(directory)
    await expect(start(directory)).rejects.toThrow(`Another Emissary already uses the database in ${directory}.`)
    expect(await ask(connection, 'SELECT 1 AS one')).toEqual([{ one: 1 }])
  })

  test('serves the next service as soon as the first has stopped', async () => {
    const directory = await folderWithDatabase()
    const first = await start(directory)
    await ask(first.connection, ...WRITE)
    const [, second] = await Promise.all([first.stop(), start(directory)])
    expect(await ask(second.connection, READ)).toEqual(HELLO)
  })

  test('is adopted by the next service after its own was killed', async () => {
    const directory = await folderWithDatabase()
    const service = startService(directory)
    await ask(await connectionOf(service), ...WRITE)
    const postmaster = await postmasterOf(directory)
    await killed(service)

    const next = await start(directory)
    expect(next.adopted).toBe(true)
    expect(await postmasterOf(directory)).toBe(postmaster)
    expect(await ask(next.connection, READ)).toEqual(HELLO)
    await next.stop()
    expect(await isPostmasterOf(postmaster, join(directory, 'cluster'))).toBe(false)
  })

  test('does not report a stop as a loss', async () => {
    let losses = 0
    const database = await start(await folderWithDatabase(), { onLost: () => losses++ })
    await database.stop()
    expect(losses).toBe(0)
  })

  test('reports why its server does not start', async () => {
    const starting = start(await folderWithDatabase(), { settings: { shared_buffers: 'plenty' } })
    await expect(starting).rejects.toThrow(/did not start in .*invalid value for parameter "shared_buffers"/)
  })
})

describe('a server that ends unexpectedly', { timeout: 60_000 }, () => {
  const answers = (connection: Parameters<typeof ask>[0]) => until('it answers again', () => ask(connection, 'SELECT 1 AS one'), 20_000)

  test('is started again after a kill, at the same address, with everything that was committed', async () => {
    const directory = await folderWithDatabase()
    const events: string[] = []
    const { connection, stop } = await start(directory, { onLost: () => events.push('lost'), onRestarted: () => events.push('restarted') })
    await ask(connection, ...WRITE)
    for (const round of [1, 2]) {
      const killed = await postmasterOf(directory)
      process.kill(killed, 'SIGKILL')
      await until('it is restarted', () => events.length === round * 2, 20_000)
      await answers(connection)
      expect(await postmasterOf(directory)).not.toBe(killed)
      expect(await ask(connection, READ)).toEqual(HELLO)
    }
    expect(events).toEqual(['lost', 'restarted', 'lost', 'restarted'])
    const last = await postmasterOf(directory)
    await stop()
    expect(await isPostmasterOf(last, join(directory, 'cluster'))).toBe(false)
  })

  test('is held again after one backend is killed and the postmaster restarts all of them', async () => {
    const directory = await folderWithDatabase()
    const restarted = Promise.withResolvers<number>()
    const { connection } = await start(directory, { onRestarted: restarted.resolve })
    await ask(connection, ...WRITE)
    const postmaster = await postmasterOf(directory)
    const [owner] = (await ask(connection, "SELECT pid FROM pg_stat_activity WHERE application_name = 'emissary owner'")) as {
      pid: number
    }[]
    process.kill(owner?.pid ?? 0, 'SIGKILL')
    await restarted.promise
    expect(await postmasterOf(directory)).toBe(postmaster)
    expect(await ask(connection, READ)).toEqual(HELLO)
    await expect(start(directory)).rejects.toThrow('Another Emissary already uses the database')
  })

  test('is started again, with the reason logged, until it starts', async () => {
    const directory = await folderWithDatabase()
    const failures: unknown[] = []
    const { connection } = await start(directory, { onRestartFailed: (error) => failures.push(error) })
    await ask(connection, ...WRITE)
    const broken = join(directory, 'cluster', 'global', 'pg_control')
    await rename(broken, `${broken}.away`)
    process.kill(await postmasterOf(directory), 'SIGKILL')
    await until('it failed twice', () => failures.length >= 2, 20_000)
    expect(String(failures[0])).toMatch(/PostgreSQL did not start in .*pg_control/s)
    await rename(`${broken}.away`, broken)
    await answers(connection)
    expect(await ask(connection, READ)).toEqual(HELLO)
  })

  test('is not started again after a stop', async () => {
    const directory = await folderWithDatabase()
    const failed = Promise.withResolvers<unknown>()
    const { stop } = await start(directory, { onRestartFailed: failed.resolve })
    const control = join(directory, 'cluster', 'global', 'pg_control')
    await rename(control, `${control}.away`)
    process.kill(await postmasterOf(directory), 'SIGKILL')
    await failed.promise
    await stop()
    expect(await findPostmaster(join(directory, 'cluster'))).toBeUndefined()
  })
})

describe('a stale lock', { timeout: 20_000 }, () => {
  test('is ignored when another program has the process id', async () => {
    const directory = await folderWithDatabase()
    const cluster = join(directory, 'cluster')
    const { connection, stop } = await start(directory)
    await ask(connection, ...WRITE)
    const locks = await Promise.all(
      ['postmaster.pid', '.s.PGSQL.5432.lock'].map(async (name) => ({ name, text: await readFile(join(cluster, name), 'utf8') })),
    )
    await stop()
    // A process of the same user, so that PostgreSQL itself would take it for a server.
    const { uid, gid } = await stat(cluster)
    const otherProgram = started(spawn('sleep', ['60'], isRoot ? { uid, gid } : {}))
    for (const { name, text } of locks) await writeFile(join(cluster, name), text.replace(/^\d+/, String(otherProgram.pid)))

    const next = await start(directory)
    expect(next.adopted).toBe(false)
    expect(await ask(next.connection, READ)).toEqual(HELLO)
  })

  test('is removed when a full disk left it empty, as is an unfinished start', async () => {
    const directory = await folderWithDatabase()
    await writeFile(join(directory, 'cluster', 'postmaster.pid'), '')
    await mkdir(join(directory, 'cluster.new-2000000000', 'base'), { recursive: true })
    expect(await start(directory)).toMatchObject({ adopted: false })
    expect((await readdir(directory)).toSorted()).toEqual(['cluster', 'postgres.log'])
  })
})
