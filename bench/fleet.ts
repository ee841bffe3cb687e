// How the throughput from create_bot to claimed grows from one to four service processes on one database.
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { Client } from 'undici'
import { ServiceNode } from './crash/node.ts'
import { loadNow } from './harness/machine.ts'
import { atMost, none, type Report } from './harness/report.ts'
import { type BenchServer, withServer } from './harness/server.ts'
import { spreadOf } from './harness/statistics.ts'
import { linkWithoutDriver, noneDriven } from './harness/without-driver.ts'
import type { BenchOptions } from './options.ts'

const MOST_NODES = 4
const BOTS = 4_000
const CONNECTIONS = 32
const FIRST_PORT = 4_610
const CLAIMED_WITHIN_MS = 180_000
/** Seats for every bot: each is claimed and ends without a browser. */
const SETTINGS = { WARM_WORKERS: '0', BOT_WORKERS: '64', BOTS_PER_WORKER: '64', SECRET_KEY: 'the-same-key-on-every-node' }

type Run = { readonly perSecond: number; readonly lateMs: readonly number[]; readonly failed: number; readonly byNode: number }

export function fleet(options: BenchOptions): Promise<Report> {
  return withServer({ ...options, settings: SETTINGS }, async (server) => {
    const before = loadNow()
    const urls = [server.url]
    const runs: Run[] = []
    for (let nodes = 1; nodes <= MOST_NODES; nodes++) {
      if (nodes > 1) urls.push(await startNode(server, nodes))
      console.error(`${BOTS} bots on ${nodes} of ${MOST_NODES} processes`)
      runs.push(await measure(server, urls))
    }
    const rate = (nodes: number) => runs[nodes - 1]?.perSecond ?? Number.NaN
    return {
      figures: {
        'created and claimed': Object.fromEntries(
          runs.map(({ perSecond, lateMs, byNode }, index) => [
            `${index + 1} processes`,
            { 'bots a second': perSecond, 'of one process': perSecond / rate(1), 'nodes that claimed': byNode, ...latenessOf(lateMs) },
          ]),
        ),
        machine: { before, after: loadNow() },
      },
      budgets: [
        // Four processes share the cores of one. The budget shows that they do not get in each other's way.
        atMost('one process / four processes, throughput', rate(1) / rate(MOST_NODES), 1.5),
        none(
          'answers other than 201',
          runs.reduce((sum, { failed }) => sum + failed, 0),
        ),
        await noneDriven(server.db),
      ],
    }
  })
}

function latenessOf(lateMs: readonly number[]): Readonly<Record<string, number>> {
  const { p50, p99 } = spreadOf(lateMs)
  return { 'claimed after p50, ms': p50, 'p99, ms': p99 }
}

async function startNode({ connection, folder, atEnd }: BenchServer, number: number): Promise<string> {
  const own = join(folder, `node-${number}`)
  await mkdir(own)
  const { host, port, user, database } = connection
  const url = `postgres://${user}@/${database}?host=${encodeURIComponent(host)}&port=${port}`
  const node = new ServiceNode({ folder: own, port: FIRST_PORT + number, settings: { ...SETTINGS, DATABASE_URL: url }, proxy: null })
  atEnd(() => node.close())
  await node.ready()
  return node.url
}

async function measure({ db, apiKey }: BenchServer, urls: readonly string[]): Promise<Run> {
  await db.query('truncate bots cascade')
  const startedAt = performance.now()
  let next = 0
  let failed = 0
  async function createOn(url: string): Promise<void> {
    const client = new Client(url)
    const headers = { authorization: `Token ${apiKey}`, 'content-type': 'application/json' }
    while (next < BOTS) {
      const body = JSON.stringify({ meeting_link: linkWithoutDriver(next++) })
      const answer = await client.request({ method: 'POST', path: '/api/v1/bots/create_bot', headers, body })
      await answer.body.dump()
      if (answer.statusCode !== 201) failed += 1
    }
    await client.close()
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, (_, index) => createOn(urls[index % urls.length] ?? '')))
  const deadline = performance.now() + CLAIMED_WITHIN_MS
  while ((await countUnclaimed(db)) > 0) {
    if (performance.now() > deadline) throw new Error('bench: bots were not claimed in time')
    await delay(50)
  }
  const perSecond = BOTS / ((performance.now() - startedAt) / 1_000)
  const { rows } = await db.query<{ late: number; node: string }>(
    `select extract(epoch from ended_at - created_at)::float8 * 1000 as late, recorded_by as node from bots`,
  )
  return { perSecond, failed, lateMs: rows.map(({ late }) => late), byNode: new Set(rows.map(({ node }) => node)).size }
}

async function countUnclaimed(db: BenchServer['db']): Promise<number> {
  const { rows } = await db.query<{ count: number }>('select count(*)::int as count from bots where fence = 0 or ended_at is null')
  return rows[0]?.count ?? 0
}
