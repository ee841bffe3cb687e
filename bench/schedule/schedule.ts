// How late scheduled bots start when many are due at one instant, by the dispatch of several nodes. Only the launch is simulated.
import { setTimeout as delay } from 'node:timers/promises'
import { createLog } from '../../src/kit/log.ts'
import { type Loop, startLoop } from '../../src/kit/loop.ts'
import { openPool, URGENT } from '../../src/service/db/database.ts'
import type { Claim, DueBot } from '../../src/service/db/fleet/claims.ts'
import { renewClaims } from '../../src/service/db/fleet/node-leases.ts'
import { renewNode } from '../../src/service/db/fleet/nodes.ts'
import { startDispatch } from '../../src/service/fleet/node/dispatch.ts'
import { newFleetPace } from '../../src/service/fleet/node/fleet-pace.ts'
import { PendingLaunches } from '../../src/service/fleet/node/pending-launches.ts'
import { LEASES } from '../../src/service/leases.ts'
import { loadNow } from '../harness/machine.ts'
import { atMost, none, type Report } from '../harness/report.ts'
import { type BenchServer, withServer } from '../harness/server.ts'
import { spreadOf } from '../harness/statistics.ts'
import { WITHOUT_BROWSERS } from '../harness/without-driver.ts'
import type { BenchOptions } from '../options.ts'
import { BOTS, fillSchedule, makeDue, makePattern } from './rows.ts'

const NODES = 4
const FEW = 100
const MANY = 10_000
/** A free seat for every bot, because the bench measures claims. */
const SEATS = MANY + FEW
/** The checks and the seat of a real launch, without a browser. */
const LAUNCH_MS = 50
/** Rows are made due this long before the instant. */
const AHEAD_MS = 15_000
const CLAIMED_WITHIN_MS = 120_000
const ABOUT = {
  address: '',
  key: '',
  seats: SEATS,
  freeSeats: 0,
  freedSeats: 0,
  roles: ['fleet'],
  draining: false,
  version: '',
  outageSeconds: 0,
} as const

type Started = { readonly id: string; readonly node: number; readonly at: number }

export function schedule(options: BenchOptions): Promise<Report> {
  return withServer({ ...options, settings: { ...WITHOUT_BROWSERS, BOT_WORKERS: '0' } }, async (server) => {
    const before = loadNow()
    await makePattern(server)
    console.error(`inserting ${BOTS} scheduled bots`)
    await fillSchedule(server.db)
    const started: Started[] = []
    const renewalMs: number[] = []
    for (let node = 0; node < NODES; node++)
      startNode(server, node, {
        onLaunch: (bot) => started.push({ id: bot.id, node, at: Date.now() }),
        onRenewed: (durationMs) => renewalMs.push(durationMs),
      })
    const few = await dueAtOnce(server, FEW, started)
    const many = await dueAtOnce(server, MANY, started)
    return {
      figures: {
        'lateness, ms': { [`${FEW} at once`]: spreadOf(few.lateMs), [`${MANY} at once`]: spreadOf(many.lateMs) },
        'time of a statement, ms': { 'renewal of all claims of a node': spreadOf(renewalMs) },
        [`${MANY} at once, by node`]: Object.fromEntries(many.byNode.map((bots, node) => [`node ${node + 1}`, { bots }])),
        table: { bots: { rows: BOTS, nodes: NODES } },
        machine: { before, after: loadNow() },
      },
      budgets: [
        atMost(`lateness p99, ${FEW} at once`, spreadOf(few.lateMs).p99, 1_000, ' ms'),
        atMost(`lateness p99, ${MANY} at once`, spreadOf(many.lateMs).p99, 5_000, ' ms'),
        none(`bots that were not claimed within ${CLAIMED_WITHIN_MS / 1000} s`, few.missing + many.missing),
        none('bots that were claimed twice, or before their time', few.wrong + many.wrong),
      ],
    }
  })
}

type NodeEvents = { readonly onLaunch: (bot: DueBot) => void; readonly onRenewed: (durationMs: number) => void }

/** One node: the service's own dispatch and renewal, with connections of its own. */
function startNode({ connection, atEnd }: BenchServer, node: number, { onLaunch, onRenewed }: NodeEvents): void {
  const db = openPool({ connection, connections: 4, onError: () => undefined })
  const urgentDb = openPool({ connection, connections: 1, limits: URGENT, onError: () => undefined })
  const held: Claim[] = []
  const nodeId = `node_bench${node}`
  const loops: Loop[] = [
    startDispatch({
      db,
      nodeId,
      launching: new PendingLaunches(),
      mostPerWorkspace: null,
      pace: newFleetPace(Math.random),
      log: createLog({ level: 'error', pretty: false }),
      affordable: () => Number.POSITIVE_INFINITY,
      freeSeats: () => ({ open: SEATS - held.length, seatsPerBrowser: 1, own: new Map() }),
      async launch(bot) {
        onLaunch(bot)
        await delay(LAUNCH_MS)
        held.push({ botId: bot.id, fence: bot.fence })
      },
    }),
    startLoop({
      async work() {
        await renewNode(urgentDb, { ...ABOUT, id: nodeId, startedAt: new Date() }, LEASES.node.seconds)
        const requestedMs = performance.now()
        await renewClaims(urgentDb, { nodeId, claims: held, leaseSeconds: LEASES.bot.seconds, knows: null })
        // Without a claim there is no statement.
        if (held.length > 0) onRenewed(performance.now() - requestedMs)
        return LEASES.bot.renewEveryMs
      },
      onError: (error) => console.error(error),
      retryMs: 500,
    }),
  ]
  atEnd(async () => {
    await Promise.all(loops.map((loop) => loop.stop()))
    await Promise.all([db.destroy(), urgentDb.destroy()])
  })
}

type Due = {
  readonly lateMs: readonly number[]
  readonly byNode: readonly number[]
  readonly missing: number
  /** Claimed twice, or before their time. */
  readonly wrong: number
}

async function dueAtOnce({ db }: BenchServer, count: number, started: readonly Started[]): Promise<Due> {
  const instant = Date.now() + AHEAD_MS
  const ids = await makeDue(db, count, new Date(instant))
  const ours = () => started.filter(({ id }) => ids.has(id))
  const missing = () => count - new Set(ours().map(({ id }) => id)).size
  while (missing() > 0 && Date.now() < instant + CLAIMED_WITHIN_MS) await delay(250)
  const all = ours()
  const lateMs = all.map(({ at }) => at - instant)
  return {
    lateMs,
    byNode: Array.from({ length: NODES }, (_, node) => all.filter((it) => it.node === node).length),
    missing: missing(),
    wrong: all.length + missing() - count + lateMs.filter((late) => late < 0).length,
  }
}
