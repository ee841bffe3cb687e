// What a bot costs from create to Done, by deliverable and step, compared with the usual screen recording of the same meeting.
import { setTimeout as delay } from 'node:timers/promises'
import { filmedBy } from '../capture/capture.ts'
import { startScreen } from '../capture/screen-recorder.ts'
import { loadNow } from '../harness/machine.ts'
import { type Cost, pssMbOf, treesOf } from '../harness/processes.ts'
import { preparePrograms } from '../harness/programs.ts'
import { atMost, type Report } from '../harness/report.ts'
import { type BenchServer, withServer } from '../harness/server.ts'
import { workersOf } from '../meeting/bots.ts'
import { launchPeopleBrowser, openMeeting } from '../meeting/room-meeting.ts'
import type { BenchOptions } from '../options.ts'
import { type Attended, attend, type Order } from './attend.ts'
import { bucketCosts } from './bucket.ts'
import { conversation } from './conversation.ts'
import { costReport, type IdleMemory, type RunName } from './report.ts'
import { measureStartUps, type StartUps } from './start-ups.ts'

const FOUR_PEOPLE = { people: 4, width: 640, height: 360, framesPerSecond: 15, camera: true }
const FILMED_SECONDS = 20
/** The service is ready before its warm browser is. */
const IDLE_MS = 8_000
/** Every bot makes a transcript. Deliverables without one leave its step out. */
const ORDERS: Readonly<Record<RunName, Order>> = {
  audio: { fields: { video_required: false }, windowSeconds: 45, sharedSeconds: 0 },
  grid: { fields: {}, windowSeconds: 40, sharedSeconds: 20 },
  speaker: { fields: { recording_config: { video_layout: 'speaker_view' } }, windowSeconds: 30, sharedSeconds: 15 },
}

export async function cost(options: BenchOptions): Promise<Report> {
  preparePrograms()
  const talks = await conversation()
  const startUps = await measureStartUps()
  const settings = { BOT_WORKERS: '1', BOTS_PER_WORKER: '4', ...(process.env.MODELS_DIR && { MODELS_DIR: process.env.MODELS_DIR }) }
  const report = await withServer({ ...options, settings }, (server) => compare(server, { talks, startUps, profile: options.profile }))
  const bucket = await said(
    'requests to a bucket',
    () => bucketCosts({ ...options, settings }, FOUR_PEOPLE),
    ({ putsPerMinute }) => `${putsPerMinute.toFixed(1)} PUT/min`,
  )
  return {
    ...report,
    figures: { ...report.figures, 'requests to the bucket of one bot': bucket.table },
    budgets: [...report.budgets, atMost('PUT requests of a bot in the meeting', bucket.putsPerMinute, 6, ' a minute')],
  }
}

type Prepared = { readonly talks: readonly string[]; readonly startUps: StartUps; readonly profile: boolean }

/** The screen is recorded before and after our bots, so that other load on the machine affects both. */
async function compare(server: BenchServer, { talks, startUps, profile }: Prepared): Promise<Report> {
  const before = loadNow()
  await delay(IDLE_MS)
  const idle = idleMemory(server)
  const meeting = await openMeeting(await launchPeopleBrowser(server), `${server.url}/room/cost`, FOUR_PEOPLE, { talks })
  const screen = await startScreen(server, [])
  const film = () =>
    said(
      'filmed screen',
      () => filmedBy(screen, meeting, FILMED_SECONDS),
      ({ cost }) => shortly(cost),
    )
  const attended = (name: RunName) => said(name, () => attend(server, meeting, ORDERS[name]), shortlyAttended)
  const first = await film()
  const runs = {
    audio: await attended('audio'),
    grid: await attended('grid'),
    speaker: await attended('speaker'),
  } satisfies Record<RunName, Attended>
  const films = [first, await film()]
  await meeting.end()
  return costReport(runs, films, { startUps, idle, machine: { before, after: loadNow() }, profile })
}

/** Of the service with one warm browser, before the first bot. */
function idleMemory(server: BenchServer): IdleMemory {
  const { service, postmaster } = server.pids
  return {
    service: pssMbOf([service]),
    database: pssMbOf(treesOf([postmaster])),
    'warm worker with its browser': pssMbOf(treesOf(workersOf(server))),
  }
}

/** Shows progress, so that an interrupted run is not lost. */
async function said<Result>(what: string, work: () => Promise<Result>, summary: (result: Result) => string): Promise<Result> {
  console.error(`${what} …`)
  const result = await work()
  console.error(`  ${summary(result)}`)
  return result
}

const shortly = ({ cpuPerMinute, pssMb }: Cost): string => `${cpuPerMinute.toFixed(1)} CPU s/min, ${pssMb.toFixed()} MB in the meeting`

function shortlyAttended({ window, after, doneSeconds }: Attended): string {
  const { capture: _, ...steps } = after.seconds
  const later = Object.entries(steps).map(([step, seconds]) => `${step} ${seconds.toFixed(1)}`)
  return `${shortly(window)}; after it CPU s: ${later.join(', ')}; Done after ${doneSeconds.toFixed()} s`
}
