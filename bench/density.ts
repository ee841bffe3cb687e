// How many bots fit on a machine and what each further one costs: bots are added, each in its own meeting, until frames are lost, the CPU is full or there are eight.
import { availableParallelism } from 'node:os'
import { loadNow } from './harness/machine.ts'
import { type Cost, childrenWith, commandOf, measure, treesOf } from './harness/processes.ts'
import { atLeast, atMost, largestRows, none, type Report } from './harness/report.ts'
import { type BenchServer, withServer } from './harness/server.ts'
import { type Attendance, type RecordedShare, recordedDuring, sendBot, untilSettled, workersOf } from './meeting/bots.ts'
import { launchPeopleBrowser, openMeeting } from './meeting/room-meeting.ts'
import type { BenchOptions } from './options.ts'

const MOST_BOTS = 8
const WINDOW_SECONDS = 6
/** Share of all cores, used by bots and the people they listen to. */
const FULL = 0.95
const LARGEST_FURTHER_MB = 60
const TWO_PEOPLE = { people: 2, width: 320, height: 180, framesPerSecond: 15, camera: true }

type Step = {
  readonly bots: Cost
  readonly people: Cost
  readonly workers: number
  /** Workers with a bot. The other one waits for the next bots. */
  readonly inUse: number
  readonly taken: readonly RecordedShare[]
}

export async function density(options: BenchOptions): Promise<Report> {
  const before = loadNow()
  // Each with a service of its own: a worker that the bots before have left ends a minute later.
  const sound = await withServer(options, (server) => fill(server, 'audio only', false))
  const pictures = await withServer(options, (server) => fill(server, 'with video', true))
  return {
    figures: {
      'audio only': tableOf(sound),
      'with video': tableOf(pictures),
      ...(options.profile && { 'CPU s/min by thread, all bots': threadsOf({ 'audio only': sound, 'with video': pictures }) }),
      machine: { before, after: loadNow() },
    },
    budgets: [
      atMost('PSS of a further bot in a worker, audio only', furtherMb(sound), LARGEST_FURTHER_MB, ' MB'),
      atMost('PSS of a further bot in a worker, with video', furtherMb(pictures), LARGEST_FURTHER_MB, ' MB'),
      atLeast('bots without a lost frame, audio only', held(sound), 1),
      atLeast('bots without a lost frame, with video', held(pictures), 1),
      none(
        'video tracks kept by bots that were to take sound only',
        Math.max(...(sound.at(-1)?.taken ?? []).map(({ unrequested }) => unrequested)),
      ),
    ],
  }
}

async function fill(server: BenchServer, what: string, video: boolean): Promise<readonly Step[]> {
  const browser = await launchPeopleBrowser(server)
  const bots: Attendance[] = []
  const steps: Step[] = []
  while (steps.length < MOST_BOTS && !isFull(steps.at(-1))) {
    console.error(`${what}: bot ${steps.length + 1} of ${MOST_BOTS}`)
    const meeting = await openMeeting(browser, `${server.url}/room/density-${steps.length + 1}`, TWO_PEOPLE)
    const attendance = await sendBot(server, meeting, { video_required: video })
    bots.push(attendance)
    await untilSettled(server, attendance)
    steps.push(await look(server, bots))
  }
  return steps
}

async function look(server: BenchServer, bots: readonly Attendance[]): Promise<Step> {
  const workers = workersOf(server)
  let costs: Promise<readonly [Cost, Cost]> | null = null
  const measuring = () => {
    costs ??= Promise.all([measure(workers, WINDOW_SECONDS), measure(childrenWith(process.pid, '--headless'), WINDOW_SECONDS)])
    return costs
  }
  const taken = await Promise.all(bots.map((it) => recordedDuring(server, it, measuring)))
  const [ours, people] = await measuring()
  return { bots: ours, people, workers: workers.length, inUse: workers.filter(hasPage).length, taken }
}

function hasPage(worker: number): boolean {
  return treesOf([worker]).some((pid) => commandOf(pid).includes('--type=renderer'))
}

function isFull(step: Step | undefined): boolean {
  return step !== undefined && (lostIn(step) > 0 || usedCores(step) > FULL * availableParallelism())
}

const lostIn = ({ taken }: Step): number => taken.filter(({ lost }) => lost).length
const usedCores = ({ bots, people }: Step): number => (bots.cpuPerMinute + people.cpuPerMinute) / 60
const held = (steps: readonly Step[]): number => steps.filter((step) => lostIn(step) === 0).length

/** The mean over bots that joined a worker with bots. The table shows what a worker costs by itself. */
function furtherMb(steps: readonly Step[]): number {
  const further = steps.flatMap(({ bots, workers, inUse }, index) => {
    const before = steps[index - 1]
    const isFurther = before && before.inUse === inUse && before.workers === workers
    return isFurther ? [bots.pssMb - before.bots.pssMb] : []
  })
  return further.reduce((sum, it) => sum + it, 0) / further.length
}

/** Of the last step. */
function threadsOf(fills: Readonly<Record<string, readonly Step[]>>): Report['figures'][string] {
  const last = Object.entries(fills).map(([what, steps]) => [what, steps.at(-1)?.bots.byThread ?? {}] as const)
  const names = new Set(last.flatMap(([, threads]) => Object.keys(threads)))
  const rowOf = (name: string) => Object.fromEntries(last.map(([what, threads]) => [what, threads[name] ?? 0]))
  return largestRows(Object.fromEntries([...names].map((name) => [name, rowOf(name)])), 0.1)
}

function tableOf(steps: readonly Step[]): Report['figures'][string] {
  return Object.fromEntries(
    steps.map((step, index) => {
      const { bots, workers, inUse, taken } = step
      const least = (sent: 'sentFrames' | 'sentPackets', kept: 'recordedFrames' | 'recordedPackets') =>
        Math.min(...taken.map((it) => (100 * it[kept]) / Math.max(1, it[sent])))
      const row = {
        workers,
        'in use': inUse,
        processes: bots.processes,
        'PSS MB': bots.pssMb,
        'this bot MB': bots.pssMb - (steps[index - 1]?.bots.pssMb ?? 0),
        'CPU s/min each': bots.cpuPerMinute / (index + 1),
        'of it node': (bots.byProgram.node ?? 0) / (index + 1),
        'cores, bots and people': usedCores(step),
        'pictures kept %': least('sentFrames', 'recordedFrames'),
        'packets kept %': least('sentPackets', 'recordedPackets'),
        'bots that lost frames': lostIn(step),
      }
      return [`${index + 1} ${index === 0 ? 'bot' : 'bots'}`, row] as const
    }),
  )
}
