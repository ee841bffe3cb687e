// npm run simulate: runs the fleet in simulated worlds, one per seed, and shows the smallest scenario that fails.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { Connection } from '../src/service/db/database.ts'
import { startEmbeddedPostgres } from '../src/service/postgres/embedded-postgres.ts'
import type { BugWorld } from './bug-worlds.ts'
import { prepareDatabase } from './database.ts'
import { fullHourOf, worldOf } from './planned-worlds.ts'
import { PLANTED_BUGS, type PlantedBug } from './planted-bugs.ts'
import { type Scenario, type Size, SMALL } from './scenario.ts'
import { Server } from './server.ts'
import { shrink } from './shrink.ts'
import { type Run, simulate } from './simulate.ts'
import { installVirtualTime, realMs } from './virtual-time.ts'

const USAGE = `Usage: npm run simulate -- [--seeds <n>] [--seed <n>] [--bots <n>] [--nodes <n>] [--full-hour] [--bug <name>] [--unplanted] [--shrink <n>] [--database <url>] [--trace]

  --seeds     how many seeds (100)
  --seed      the first of them (1)
  --bots      the most bots of a seed (6); more than ${SMALL} are all created, with fewer faults for each
  --nodes     the nodes of a seed (3)
  --full-hour all bots are scheduled for one instant, nothing fails, and the lateness is printed
  --bug       plants a bug that must be found: ${Object.keys(PLANTED_BUGS).join(', ')}
  --unplanted leaves the bug out of its worlds, which hold then
  --shrink    how often a failing seed is run again to make it smaller (60)
  --database  a migrated PostgreSQL database whose rows may be deleted; otherwise one is started
  --trace     prints the steps of each seed`

const TRACE_LINES = 120
/** Not every seed has every statement. */
const NOT_PLANTED_AFTER = 50
const NOT_DURABLE = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', autovacuum: 'off', max_connections: 300 }
/** A large world has many open transactions. */
const LARGE = { max_connections: 1_200, shared_buffers: '1GB' }

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '100' },
    seed: { type: 'string', default: '1' },
    bots: { type: 'string', default: '6' },
    nodes: { type: 'string', default: '3' },
    'full-hour': { type: 'boolean', default: false },
    bug: { type: 'string' },
    unplanted: { type: 'boolean', default: false },
    shrink: { type: 'string', default: '60' },
    database: { type: 'string' },
    trace: { type: 'boolean', default: false },
    help: { type: 'boolean' },
  },
})

const isLarge = Number(values.bots) > SMALL
if (values.help) console.log(USAGE)
else process.exitCode = await main()

async function main(): Promise<number> {
  const bug = values.bug === undefined ? undefined : PLANTED_BUGS[values.bug]
  if (values.bug !== undefined && !bug) {
    console.error(`There is no planted bug named ${values.bug}.\n\n${USAGE}`)
    return 2
  }
  const database =
    values.database === undefined ? await startDatabase() : { connection: { url: values.database }, stop: async () => undefined }
  // Without this, the server of an interrupted run would stay.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void database.stop().finally(() => process.exit(1)))
  try {
    await prepareDatabase(database.connection)
    installVirtualTime()
    const planted = values.unplanted ? undefined : bug
    const server = await Server.open({ connection: database.connection, rewrite: planted?.rewrite, isLarge })
    const failed = await runSeeds(server, planted, bug?.scenario)
    await server.close()
    return failed ? 1 : 0
  } finally {
    await database.stop()
  }
}

async function startDatabase(): Promise<{ connection: Connection; stop: () => Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'emissary-simulation-'))
  const postgres = await startEmbeddedPostgres({ directory: join(folder, 'postgres'), settings: { ...NOT_DURABLE, ...(isLarge && LARGE) } })
  return {
    connection: postgres.connection,
    async stop() {
      await postgres.stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** True: a seed failed. It is the last one. */
async function runSeeds(server: Server, bug: PlantedBug | undefined, toBugWorld: BugWorld = (random) => random): Promise<boolean> {
  const [seeds, first] = [Number(values.seeds), Number(values.seed)]
  const size: Size = { bots: Number(values.bots), nodes: Number(values.nodes) }
  const scenarioFor = (seed: number): Scenario => {
    const random = worldOf(seed, size)
    return toBugWorld(values['full-hour'] ? fullHourOf(random) : random)
  }
  const startedMs = realMs()
  const total = { virtualMs: 0, sessions: 0, arrivals: 0, statements: 0 }
  const onProgress = size.bots > SMALL ? (sentence: string) => console.log(`  ${sentence}`) : undefined
  for (let seed = first; seed < first + seeds; seed++) {
    const scenario = scenarioFor(seed)
    const run = await simulate(server, scenario, { bug, onProgress })
    if (values.trace) console.log(`${run.world.trace.text(20_000)}\nseed ${seed} ${run.world.trace.digest()}`)
    total.virtualMs += run.virtualMs
    total.sessions += run.sessions
    total.arrivals += run.arrivals
    total.statements += run.statements
    if (values['full-hour']) console.log(latenessOf(run.lateMs))
    if (bug?.rewrite && !server.hasRewritten && seed - first >= NOT_PLANTED_AFTER)
      throw new Error('simulation: the bug is not planted, because no statement matches it')
    if (run.violation !== null) {
      await explain(server, scenario, run, bug)
      return true
    }
  }
  const seconds = (realMs() - startedMs) / 1000
  console.log(
    `${seeds} seeds held in ${seconds.toFixed(1)} s (${(seeds / seconds).toFixed(1)} seeds/s): ${(total.virtualMs / 1000).toFixed(0)} virtual s, ` +
      `${total.sessions} sessions, ${total.arrivals} events received, ${total.statements} statements`,
  )
  return false
}

/** When bots asked to join, from their join time on. */
function latenessOf(lateMs: readonly number[]): string {
  const sorted = lateMs.toSorted((a, b) => a - b)
  const at = (part: number): string => ((sorted[Math.floor(part * (sorted.length - 1))] ?? Number.NaN) / 1000).toFixed(1)
  return `${sorted.length} bots asked to join: the first after ${at(0)} s, p50 ${at(0.5)} s, p99 ${at(0.99)} s, the last after ${at(1)} s`
}

/** The smallest scenario that fails in the same way, with its steps. */
async function explain(server: Server, scenario: Scenario, { violation }: Run, bug: PlantedBug | undefined): Promise<void> {
  const kind = kindOf(violation)
  console.log(`seed ${scenario.seed} fails: ${violation}`)
  const fails = async (smaller: Scenario): Promise<boolean> => kindOf((await simulate(server, smaller, { bug })).violation) === kind
  const smallest = await shrink(scenario, fails, Number(values.shrink))
  const { world, violation: last } = await simulate(server, smallest, { bug })
  const { machines, bots, faults } = smallest
  console.log(`smallest: ${machines} nodes, ${bots.length} bots, ${faults.length} faults: ${last}`)
  for (const bot of bots.slice(0, 20)) console.log(`  bot   ${JSON.stringify(bot)}`)
  for (const fault of faults.slice(0, 20)) console.log(`  fault ${JSON.stringify(fault)}`)
  console.log(world.trace.text(TRACE_LINES))
}

/** The part of a violation before its details. */
function kindOf(violation: string | null): string | null {
  return violation?.split(':')[0] ?? null
}
