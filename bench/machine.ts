// What the machine did meanwhile: the load on it, and who of us spent how much processor time.
import { readdirSync, readFileSync } from 'node:fs'
import { availableParallelism, loadavg } from 'node:os'
import type { BenchServer } from './server.ts'

/** Processor seconds spent so far. */
export type Spent = { readonly service: number; readonly database: number; readonly machine: number; readonly at: number }

const TICKS_PER_SECOND = 100

export function spentBy({ pids }: Pick<BenchServer, 'pids'>): Spent {
  const backends = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => statOf(Number(name)))
    .filter((stat) => stat?.parent === pids.postmaster || stat?.pid === pids.postmaster)
  // What ended backends have spent is kept by their parent.
  const ended = statOf(pids.postmaster)?.childSeconds ?? 0
  const database = backends.reduce((sum, stat) => sum + (stat?.seconds ?? 0), ended)
  return { service: statOf(pids.service)?.seconds ?? 0, database, machine: machineSeconds(), at: performance.now() }
}

/** Cores' worth of work between two moments; `machine` is everybody's, also strangers'. */
export function coresBetween(before: Spent, after: Spent): { service: number; database: number; machine: number; seconds: number } {
  const seconds = (after.at - before.at) / 1_000
  const cores = (who: 'service' | 'database' | 'machine') => (after[who] - before[who]) / seconds
  return { service: cores('service'), database: cores('database'), machine: cores('machine'), seconds }
}

export function loadNow(): Readonly<Record<string, number>> {
  const [one = 0, five = 0] = loadavg()
  return { cores: availableParallelism(), 'load 1 min': one, 'load 5 min': five }
}

type Stat = { readonly pid: number; readonly parent: number; readonly seconds: number; readonly childSeconds: number }

export function statOf(pid: number): Stat | null {
  try {
    // The name may hold blanks and brackets; the fields after it are counted from its end.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ')
    const seconds = (first: number) => (Number(fields[first]) + Number(fields[first + 1])) / TICKS_PER_SECOND
    return { pid, parent: Number(fields[1]), seconds: seconds(11), childSeconds: seconds(13) }
  } catch {
    return null // It ended while we looked.
  }
}

function machineSeconds(): number {
  const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0] = (/^cpu +(.*)$/m.exec(readFileSync('/proc/stat', 'utf8'))?.[1] ?? '')
    .split(' ')
    .map(Number)
  return (user + nice + system + irq + softirq) / TICKS_PER_SECOND
}
