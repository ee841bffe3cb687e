// Faults at random moments under load: the data that a service keeps after a kill, a reset or a freeze, and the time until its bots rejoin.
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { loadNow } from '../harness/machine.ts'
import { CannotRun } from '../harness/programs.ts'
import type { Report } from '../harness/report.ts'
import { seededRandom } from '../harness/statistics.ts'
import type { BenchOptions } from '../options.ts'
import { FAULTS, KINDS, type Kind } from './faults.ts'
import { Receipts } from './load.ts'
import { crashReport, type Outcome } from './report.ts'
import { type CrashVenue, openCrashVenue } from './rooms.ts'
import { failures, type Round, runFaults } from './run.ts'
import { type Deployment, Subject } from './service-under-test.ts'

const USUAL_COUNT = 20
const USUAL_SEED = 15
const ROOMS = 2
const DEPLOYMENTS: readonly Deployment[] = ['embedded', 'outside', 'bucket']

type Plan = { readonly kinds: readonly Kind[]; readonly count: number; readonly random: () => number }

export async function crash({ kinds, count = USUAL_COUNT, seed = USUAL_SEED }: BenchOptions): Promise<Report> {
  const plan = { kinds: kindsIn(kinds), count, random: seededRandom(seed) }
  const before = loadNow()
  const outcomes: Outcome[] = []
  for (const deployment of DEPLOYMENTS) {
    let left = plan.kinds.filter((kind) => FAULTS[kind].deployment === deployment)
    while (left.length > 0) {
      const outcome = await strikeAt(deployment, { ...plan, kinds: left })
      outcomes.push(outcome)
      left = left.slice(outcome.rounds.length)
    }
  }
  const rounds = outcomes.flatMap((outcome) => outcome.rounds)
  const left = outcomes.reduce((sum, outcome) => sum + outcome.left, 0)
  return crashReport({ rounds, left }, { before, after: loadNow() })
}

function kindsIn(names: readonly string[] | undefined): readonly Kind[] {
  const unknown = names?.find((name) => !KINDS.some((kind) => kind === name))
  if (unknown !== undefined) throw new CannotRun(`--kinds are ${KINDS.join(', ')}. ${unknown} is not one of them.`)
  return names ? KINDS.filter((kind) => names.includes(kind)) : KINDS
}

/** Stops after the first kind from which the service did not recover, so that the next kind gets a new service. Cleans up everything. */
async function strikeAt(deployment: Deployment, { kinds, count, random }: Plan): Promise<Outcome> {
  const ends: (() => unknown)[] = []
  const endAll = async () => {
    for (let end = ends.pop(); end; end = ends.pop()) await Promise.resolve(end()).catch((error: unknown) => console.error(error))
  }
  const interrupted = () => void endAll().finally(() => process.exit(130))
  process.on('SIGINT', interrupted).on('SIGTERM', interrupted)
  let left = 0
  try {
    const folder = await mkdtemp(join(tmpdir(), 'emissary-bench-'))
    ends.push(() => rm(folder, { recursive: true, force: true }))
    // As root, the database runs as another user, which must be able to traverse the folder.
    await chmod(folder, 0o711)
    const venue = await openCrashVenue(ROOMS)
    ends.push(() => venue.close())
    const receipts = await Receipts.open()
    ends.push(() => receipts.close())
    const subject = new Subject(folder)
    ends.push(async () => {
      left = await subject.close()
    })
    await subject.start(deployment, settingsFor(venue))
    const rounds: Round[] = []
    for (const kind of kinds) {
      rounds.push(await runFaults({ subject, venue, receipts, random }, kind, count))
      if (failures(rounds.flatMap(({ faults }) => faults)) > 0) break
    }
    await endAll()
    return { rounds, left }
  } finally {
    await endAll()
    process.off('SIGINT', interrupted).off('SIGTERM', interrupted)
  }
}

/** Nodes that share a database share its secret key. */
function settingsFor(venue: CrashVenue): Readonly<Record<string, string>> {
  return { PUBLIC_URL: venue.url, BOT_WORKERS: '2', SECRET_KEY: 'the key of the crash bench' }
}
