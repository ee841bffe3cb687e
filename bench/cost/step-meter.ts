// CPU seconds and memory of the service's process tree by step, from repeated looks at /proc. Programs of a step run for seconds, so
// looks find almost all of their time. The kernel's sum of ended children shows the rest.
import { readFileSync } from 'node:fs'
import { spentBy, statOf } from '../harness/machine.ts'
import { commandOf, treesOf } from '../harness/processes.ts'
import type { BenchServer } from '../harness/server.ts'

/** The first row whose text is in the command line. A program without a row belongs to the step of its parent. */
const PROGRAMS = [
  ['bot/worker/main.ts', 'capture'],
  ['mixer-process', 'mix'],
  ['speech/native', 'transcribe'],
  ['_view', 'compose'],
  ['ffmpeg', 'streams'],
  ['ffprobe', 'streams'],
] as const
const STEPS = ['capture', 'mix', 'compose', 'streams', 'transcribe', 'service'] as const
type Step = (typeof STEPS)[number]

/** CPU seconds by step, the steps with a program that started meanwhile, and the most memory of programs that run after the call, in MB. */
export type StepCosts = {
  readonly seconds: Readonly<Record<Step, number>>
  readonly started: ReadonlySet<Step>
  readonly peakMb: number
}

type Seen = {
  readonly step: Step
  readonly isNew: boolean
  readonly first: number
  last: number
  readonly isChild: boolean
  isAlive: boolean
}

const LOOK_EVERY_MS = 150

export class StepMeter {
  readonly #server: BenchServer
  readonly #seen = new Map<number, Seen>()
  readonly #began: { readonly service: number; readonly database: number; readonly ended: number }
  readonly #timer: ReturnType<typeof setInterval>
  #peakMb = 0
  #isFirst = true

  constructor(server: BenchServer) {
    this.#server = server
    this.#began = this.#own()
    this.#look()
    this.#isFirst = false
    this.#timer = setInterval(() => this.#look(), LOOK_EVERY_MS)
  }

  /** The costs since the start. */
  stop(): StepCosts {
    clearInterval(this.#timer)
    this.#look()
    const now = this.#own()
    const seconds = Object.fromEntries(STEPS.map((step) => [step, 0])) as Record<Step, number>
    for (const { step, first, last } of this.#seen.values()) seconds[step] += last - first
    const found = [...this.#seen.values()].filter(({ isChild, isAlive }) => isChild && !isAlive).reduce((sum, it) => sum + it.last, 0)
    // Short programs, and the end of longer ones.
    const missed = Math.max(0, now.ended - this.#began.ended - found)
    seconds.service += now.service - this.#began.service + now.database - this.#began.database + missed
    const started = new Set([...this.#seen.values()].flatMap(({ step, isNew }) => (isNew ? [step] : [])))
    return { seconds, started, peakMb: this.#peakMb }
  }

  #own() {
    const { service, database } = spentBy(this.#server)
    return { service, database, ended: statOf(this.#server.pids.service)?.childSeconds ?? 0 }
  }

  #look(): void {
    const { service } = this.#server.pids
    for (const seen of this.#seen.values()) seen.isAlive = false
    let megabytes = 0
    for (const pid of treesOf([service]).filter((it) => it !== service)) {
      const stat = statOf(pid)
      if (!stat) continue
      const seen = this.#seen.get(pid) ?? this.#meet(pid, stat)
      seen.last = stat.seconds
      seen.isAlive = true
      if (seen.step !== 'capture' && seen.step !== 'service') megabytes += residentMb(pid)
    }
    this.#peakMb = Math.max(this.#peakMb, megabytes)
  }

  #meet(pid: number, { parent, seconds }: { readonly parent: number; readonly seconds: number }): Seen {
    const command = commandOf(pid)
    const own = PROGRAMS.find(([text]) => command.includes(text))?.[1]
    const inherited = this.#seen.get(parent)?.step
    const step = inherited === 'mix' || inherited === 'capture' ? inherited : (own ?? inherited ?? 'service')
    const isNew = !this.#isFirst
    const seen = { step, isNew, first: isNew ? 0 : seconds, last: seconds, isChild: parent === this.#server.pids.service, isAlive: true }
    this.#seen.set(pid, seen)
    return seen
  }
}

function residentMb(pid: number): number {
  try {
    return Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024
  } catch {
    return 0 // It has ended.
  }
}
