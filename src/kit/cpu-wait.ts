// How long the threads of a process and its descendants have waited for a CPU, as Linux counts it.
import { readdirSync, readFileSync } from 'node:fs'

const NANOSECONDS_PER_MS = 1_000_000
/** A thread that waits for more of its time than this hardly gets on. */
const STARVED_SHARE = 0.5

/** The milliseconds that each thread could run and had no CPU, by thread id. Empty where the kernel does not count them. */
export type CpuWaits = ReadonlyMap<string, number>

/** Reads a few hundred small files of the kernel, which takes some milliseconds. */
export function cpuWaits(pid: number): CpuWaits {
  const waits = new Map<string, number>()
  const pids = [String(pid)]
  for (const process of pids) {
    for (const thread of threadsOf(process)) {
      const folder = `/proc/${process}/task/${thread}`
      const [, nanoseconds] = read(`${folder}/schedstat`).split(' ')
      if (nanoseconds !== undefined) waits.set(thread, Number(nanoseconds) / NANOSECONDS_PER_MS)
      pids.push(...read(`${folder}/children`).split(' ').filter(Boolean))
    }
  }
  return waits
}

/** True if a thread waited for most of the time between two readings. */
export function isStarvedBetween(before: CpuWaits, after: CpuWaits, elapsedMs: number): boolean {
  return [...after].some(([thread, waitedMs]) => {
    const earlierMs = before.get(thread)
    return earlierMs !== undefined && waitedMs - earlierMs > elapsedMs * STARVED_SHARE
  })
}

/** None of a process that has ended, or that this one may not see. */
function threadsOf(pid: string): readonly string[] {
  try {
    return readdirSync(`/proc/${pid}/task`)
  } catch {
    return []
  }
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8').trim()
  } catch {
    return ''
  }
}
