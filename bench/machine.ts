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
  const database = backends.reduce((sum, stat) => sum + (stat?.seconds ?? 0), 0)
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

function statOf(pid: number): { pid: number; parent: number; seconds: number } | null {
  try {
    // The name may hold blanks and brackets; the fields after it are counted from its end.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ')
    return { pid, parent: Number(fields[1]), seconds: (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND }
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
