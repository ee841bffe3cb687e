// The load of the machine, and the CPU time of the service and its database.
import { readdirSync, readFileSync } from 'node:fs'
import { availableParallelism, loadavg } from 'node:os'
import type { BenchServer } from './server.ts'

/** CPU seconds so far. */
export type Spent = { readonly service: number; readonly database: number; readonly machine: number; readonly at: number }

const TICKS_PER_SECOND = 100

export function spentBy({ pids }: Pick<BenchServer, 'pids'>): Spent {
  const backends = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => statOf(Number(name)))
    .filter((stat) => stat?.parent === pids.postmaster || stat?.pid === pids.postmaster)
  // The parent accounts for the time of backends that have exited.
  const ended = statOf(pids.postmaster)?.childSeconds ?? 0
  const database = backends.reduce((sum, stat) => sum + (stat?.seconds ?? 0), ended)
  return { service: statOf(pids.service)?.seconds ?? 0, database, machine: machineSeconds(), at: performance.now() }
}

/** Cores in use between two moments. `machine` includes all other processes. */
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
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return { pid, parent: Number(fieldsIn(stat)[1]), seconds: secondsIn(stat), childSeconds: secondsIn(stat, 13) }
  } catch {
    return null // It has exited.
  }
}

/** CPU seconds in the `stat` file of a process or thread. From field 13 on: those of its children that have ended. */
export function secondsIn(stat: string, first = 11): number {
  const fields = fieldsIn(stat)
  return (Number(fields[first]) + Number(fields[first + 1])) / TICKS_PER_SECOND
}

/** The name may contain blanks and brackets, so fields are counted after its end. */
function fieldsIn(stat: string): readonly string[] {
  return stat.replace(/^.*\) /s, '').split(' ')
}

function machineSeconds(): number {
  const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0] = (/^cpu +(.*)$/m.exec(readFileSync('/proc/stat', 'utf8'))?.[1] ?? '')
    .split(' ')
    .map(Number)
  return (user + nice + system + irq + softirq) / TICKS_PER_SECOND
}
