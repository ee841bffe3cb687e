// Faults at random moments under load: what a service that is killed, cut off or frozen keeps, and how soon its bots are back.
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CannotRun } from './capture-programs.ts'
import { FAULTS, KINDS, type Kind } from './crash/faults.ts'
import { Receipts } from './crash/load.ts'
import { failures, type Round, runFaults } from './crash/run.ts'
import { type Place, Subject } from './crash/subject.ts'
import { type CrashVenue, openCrashVenue } from './crash/venue.ts'
import { type Outcome, verdictOn } from './crash/verdict.ts'
import { loadNow } from './machine.ts'
import type { Report } from './report.ts'
import type { BenchOptions } from './server.ts'
import { seededRandom } from './statistics.ts'

const USUAL_COUNT = 20
const USUAL_SEED = 15
const ROOMS = 2
const PLACES: readonly Place[] = ['embedded', 'outside']

type Plan = { readonly kinds: readonly Kind[]; readonly count: number; readonly random: () => number }

export async function crash({ kinds, count = USUAL_COUNT, seed = USUAL_SEED }: BenchOptions): Promise<Report> {
  const plan = { kinds: kindsIn(kinds), count, random: seededRandom(seed) }
  const before = loadNow()
  const outcomes: Outcome[] = []
  for (const place of PLACES) {
    let left = plan.kinds.filter((kind) => FAULTS[kind].place === place)
    while (left.length > 0) {
      const outcome = await strikeAt(place, { ...plan, kinds: left })
      outcomes.push(outcome)
      left = left.slice(outcome.rounds.length)
    }
  }
  const rounds = outcomes.flatMap((outcome) => outcome.rounds)
  const left = outcomes.reduce((sum, outcome) => sum + outcome.left, 0)
  return verdictOn({ rounds, left }, { before, after: loadNow() })
}

function kindsIn(names: readonly string[] | undefined): readonly Kind[] {
  const unknown = names?.find((name) => !KINDS.some((kind) => kind === name))
  if (unknown !== undefined) throw new CannotRun(`--kinds are ${KINDS.join(', ')}; there is no ${unknown}.`)
  return names ? KINDS.filter((kind) => names.includes(kind)) : KINDS
}

/** Ends with the first kind that the service did not recover from: the next one gets a new service. Nothing that is started here stays. */
async function strikeAt(place: Place, { kinds, count, random }: Plan): Promise<Outcome> {
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
    // The database runs as another user when we are root, and has to get through.
    await chmod(folder, 0o711)
    const venue = await openCrashVenue(ROOMS)
    ends.push(() => venue.close())
    const receipts = await Receipts.open()
    ends.push(() => receipts.close())
    const subject = new Subject(folder)
    ends.push(async () => {
      left = await subject.close()
    })
    await subject.start(place, settingsFor(venue))
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

/** Nodes that share a database share the key of its secrets. */
function settingsFor(venue: CrashVenue): Readonly<Record<string, string>> {
  return { PUBLIC_URL: venue.url, BOT_HOSTS: '2', SECRET_KEY: 'the key of the crash bench' }
}
