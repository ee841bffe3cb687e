// Bots created and read per second, compared with a bare route and a bare commit on the same machine.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type pg from 'pg'
import { coresBetween, loadNow, spentBy } from '../harness/machine.ts'
import { atLeast, atMost, none, type Report } from '../harness/report.ts'
import { type BenchServer, withServer } from '../harness/server.ts'
import { noneDriven, WITHOUT_BROWSERS } from '../harness/without-driver.ts'
import type { BenchOptions } from '../options.ts'
import type { LoadKind, LoadOrder, LoadResult } from './load-process.ts'

const LOADER = fileURLToPath(new URL('load-process.ts', import.meta.url))
const CONNECTIONS = 32
const WARM_UP_SECONDS = 2
const SECONDS = 8
const COMMIT_SECONDS = 4
const COMMIT_CONNECTIONS = 16
const DRAINED_WITHIN_MS = 60_000

type Phase = LoadResult & { readonly row: Readonly<Record<string, number>> }

export function api(options: BenchOptions): Promise<Report> {
  return withServer({ ...options, settings: WITHOUT_BROWSERS }, async (server) => {
    const before = loadNow()
    const healthz = await phase(server, 'healthz')
    const commits = await commitsPerSecond(server.db)
    const scheduled = await phase(server, 'schedule')
    const reads = await phase(server, 'read', scheduled.created)
    const created = await phase(server, 'create')
    const drained = await drain(server.db)
    const acknowledged = [...scheduled.created, ...created.created]
    const lost = acknowledged.length - (await countStored(server.db, acknowledged))
    const perHealthz = (rate: number) => rate / healthz.perSecond
    return {
      figures: {
        load: { 'GET /healthz': healthz.row, 'status read': reads.row, 'create, join_at later': scheduled.row, 'create, now': created.row },
        ratio: {
          'reads / healthz': { value: perHealthz(reads.perSecond) },
          'creates later / healthz': { value: perHealthz(scheduled.perSecond) },
          'creates now / healthz': { value: perHealthz(created.perSecond) },
          'creates later / commits': { value: scheduled.perSecond / commits },
          'creates now / commits': { value: created.perSecond / commits },
        },
        database: { 'bare INSERT commits, 16 connections': { 'per s': commits } },
        dispatch: { 'bots created now': { waiting: drained.waiting, 'seconds to end them': drained.seconds, 'per s': drained.perSecond } },
        acknowledged: { 'bots created': { count: acknowledged.length, 'not in the database': lost } },
        machine: { before, after: loadNow() },
      },
      budgets: [
        atLeast('creates a second, now', created.perSecond, 1_000, '/s'),
        atLeast('creates a second, join_at later', scheduled.perSecond, 1_000, '/s'),
        atLeast('status reads a second', reads.perSecond, 5_000, '/s'),
        atMost('create p99, now', created.p99, 150, ' ms'),
        atMost('create p99, join_at later', scheduled.p99, 150, ' ms'),
        atMost('status read p99', reads.p99, 150, ' ms'),
        none('answers other than 2xx', healthz.failed + reads.failed + scheduled.failed + created.failed),
        none('acknowledged but not stored', lost),
        await noneDriven(server.db),
      ],
    }
  })
}

async function phase(server: BenchServer, kind: LoadKind, ids: readonly string[] = []): Promise<Phase> {
  console.error(`${kind}: ${WARM_UP_SECONDS + SECONDS} s with ${CONNECTIONS} connections`)
  const loader = fork(LOADER, { serialization: 'advanced' })
  const before = spentBy(server)
  const { url, apiKey } = server
  const order: LoadOrder = { kind, url, apiKey, connections: CONNECTIONS, warmUpSeconds: WARM_UP_SECONDS, seconds: SECONDS, ids }
  loader.send(order)
  const ended = once(loader, 'exit').then(() => {
    throw new Error(`bench: the load process for ${kind} ended without an answer`)
  })
  const [result] = (await Promise.race([once(loader, 'message'), ended])) as [LoadResult]
  ended.catch(() => undefined) // The process exits after its answer.
  const cores = coresBetween(before, spentBy(server))
  const spentMs = (perSecond: number) => (perSecond * cores.seconds * 1_000) / result.answered
  const { perSecond, p50, p99, maxMs, failed } = result
  const row = {
    'per s': perSecond,
    'p50 ms': p50,
    'p99 ms': p99,
    'max ms': maxMs,
    failed,
    'service cores': cores.service,
    'database cores': cores.database,
    'all cores': cores.machine,
    'service CPU ms each': spentMs(cores.service),
    'database CPU ms each': spentMs(cores.database),
  }
  return { ...result, row }
}

/** The cheapest durable create: one row, one commit. */
async function commitsPerSecond(db: pg.Pool): Promise<number> {
  await db.query('create table bench_commits (id bigint generated always as identity primary key, body text not null)')
  const until = performance.now() + COMMIT_SECONDS * 1_000
  let commits = 0
  async function commitOn(client: pg.PoolClient): Promise<void> {
    for (; performance.now() < until; commits++) {
      await client.query({ name: 'bench', text: 'insert into bench_commits (body) values ($1)', values: ['x'.repeat(500)] })
    }
    client.release()
  }
  await Promise.all(Array.from({ length: COMMIT_CONNECTIONS }, async () => commitOn(await db.connect())))
  await db.query('drop table bench_commits')
  return commits / COMMIT_SECONDS
}

/** Dispatch may lag behind the creates: by how much, and how fast it catches up without load. */
async function drain(db: pg.Pool): Promise<{ waiting: number; seconds: number; perSecond: number }> {
  const waiting = await countDue(db)
  const startedAt = performance.now()
  let left = waiting
  while (left > 0 && performance.now() < startedAt + DRAINED_WITHIN_MS) {
    await delay(100)
    left = await countDue(db)
  }
  const seconds = (performance.now() - startedAt) / 1_000
  return { waiting, seconds, perSecond: (waiting - left) / seconds }
}

async function countDue(db: pg.Pool): Promise<number> {
  const { rows } = await db.query<{ count: number }>(`select count(*)::int as count from bots where status = 'Joining'`)
  return rows[0]?.count ?? 0
}

async function countStored(db: pg.Pool, ids: readonly string[]): Promise<number> {
  const { rows } = await db.query<{ count: number }>('select count(*)::int as count from bots where id = any($1)', [ids])
  return rows[0]?.count ?? 0
}
