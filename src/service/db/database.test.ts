// Connections that break, hang or stall: the statement fails in time, and the next one gets a working connection.
import { sql } from 'kysely'
import { afterEach, expect, test } from 'vitest'
import { openForFile } from '../../../test/helpers/for-file.ts'
import { startDatabaseProxy } from '../../../test/helpers/service/database-proxy.ts'
import { databaseForFile } from '../../../test/helpers/service/for-file.ts'
import { until } from '../../../test/helpers/until.ts'
import { type Db, inTransaction, type Limits, openPool } from './database.ts'
import { DatabaseUnreachable, isUnreachable } from './unreachable.ts'

const SHORT: Limits = { connectMs: 1_000, statementMs: 1_000 }

const database = databaseForFile()
const proxy = openForFile(() => startDatabaseProxy(database.url))
const opened: Db[] = []

afterEach(async () => {
  await proxy.resume()
  await Promise.all(opened.splice(0).map((db) => db.destroy()))
})

function open({ connections = 1, limits = SHORT }: { connections?: number; limits?: Limits } = {}): Db {
  const db = openPool({ connection: { url: proxy.url }, connections, limits, onError: () => undefined })
  opened.push(db)
  return db
}

const backendOf = async (db: Db) => (await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(db)).rows[0]?.pid ?? 0
const terminate = (pid: number) => sql`select pg_terminate_backend(${pid}::int)`.execute(database.db)
const isGone = async (pid: number) =>
  (await sql`select 1 from pg_stat_activity where pid = ${pid}::int`.execute(database.db)).rows.length === 0
const failure = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  )

test('survives a connection that is reset between two statements of a transaction', async () => {
  const db = open()
  const failed = failure(
    inTransaction(db, async (tx) => {
      const pid = await backendOf(tx)
      proxy.reset()
      await until('the backend is gone', () => isGone(pid))
      await backendOf(tx)
    }),
  )
  expect(await failed).toBeInstanceOf(DatabaseUnreachable)
  expect(await backendOf(db)).toBeGreaterThan(0)
})

test('survives a backend that is terminated inside a transaction, and does not reuse its connection', async () => {
  const db = open()
  let pid = 0
  const failed = failure(
    inTransaction(db, async (tx) => {
      pid = await backendOf(tx)
      await terminate(pid)
      await until('the backend is gone', () => isGone(pid))
      await backendOf(tx)
    }),
  )
  expect(isUnreachable(await failed)).toBe(true)
  expect(await backendOf(db)).not.toBe(pid)
})

test('fails only the statement whose backend is terminated, and gives the waiting one a working connection', async () => {
  const db = open({ limits: { connectMs: 10_000, statementMs: 10_000 } })
  const pid = await backendOf(db)
  const sleeping = failure(sql`select pg_sleep(60)`.execute(db))
  const waiting = backendOf(db)
  await until('the statement runs', async () => {
    const { rows } = await sql`select 1 from pg_stat_activity where pid = ${pid}::int and query like '%pg_sleep%'`.execute(database.db)
    return rows.length > 0
  })
  await terminate(pid)
  expect(isUnreachable(await sleeping)).toBe(true)
  expect(await waiting).not.toBe(pid)
})

test('lets the server cancel a statement that exceeds its limit', async () => {
  const db = open()
  const pid = await backendOf(db)
  const error = await failure(sql`select pg_sleep(60)`.execute(db))
  expect(error).toMatchObject({ code: '57014' })
  expect(isUnreachable(error)).toBe(true)
  expect(await backendOf(db)).toBe(pid)
})

test('fails a statement without an answer after its limit, and does not reuse its connection', async () => {
  const db = open()
  const pid = await backendOf(db)
  proxy.freeze()
  expect(await failure(backendOf(db))).toBeInstanceOf(DatabaseUnreachable)
  await proxy.resume()
  expect(await backendOf(db)).not.toBe(pid)
})

test('fails a transaction without an answer once, without waiting for its rollback', async () => {
  const db = open()
  const error = await failure(
    inTransaction(db, async (tx) => {
      await backendOf(tx)
      proxy.freeze()
      await backendOf(tx)
    }),
  )
  expect(error).toBeInstanceOf(DatabaseUnreachable)
  await proxy.resume()
  expect(await backendOf(db)).toBeGreaterThan(0)
})

test('limits the wait for a connection, whether the server is silent or all connections are busy', async () => {
  proxy.freeze()
  expect(await failure(backendOf(open()))).toBeInstanceOf(DatabaseUnreachable)
  await proxy.resume()

  const busy = open({ limits: { connectMs: 200, statementMs: 20_000 } })
  const errors = await inTransaction(busy, async (tx) => {
    await backendOf(tx)
    return Promise.all(Array.from({ length: 20 }, () => failure(backendOf(busy))))
  })
  expect(errors.every((error) => error instanceof DatabaseUnreachable)).toBe(true)
})

test('names the refused connection in the error, and reconnects when the server is back', async () => {
  const db = open()
  await proxy.refuse()
  expect(await failure(backendOf(db))).toMatchObject({ cause: { code: 'ECONNREFUSED' } })
  await proxy.resume()
  expect(await backendOf(db)).toBeGreaterThan(0)
})

test('lets the server end an idle transaction and release its locks', async () => {
  const db = open()
  const error = await failure(
    inTransaction(db, async (tx) => {
      const pid = await backendOf(tx)
      await until('the server has ended the transaction', () => isGone(pid), 20_000)
      await backendOf(tx)
    }),
  )
  expect(isUnreachable(error)).toBe(true)
  expect(await backendOf(db)).toBeGreaterThan(0)
})

test('closes the pool although the server is silent', async () => {
  const db = open({ connections: 2 })
  const held = Promise.withResolvers<void>()
  const open1 = Promise.withResolvers<void>()
  const transaction = inTransaction(db, async (tx) => {
    await backendOf(tx)
    open1.resolve()
    await held.promise
  })
  await open1.promise
  await backendOf(db)
  proxy.freeze()
  const hanging = failure(backendOf(db))
  opened.pop()
  const closed = db.destroy()
  held.resolve()
  await failure(transaction)
  await hanging
  await closed
})
