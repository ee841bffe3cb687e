// CPU seconds of every thread of some processes, from /proc: shows which part of a browser spends them.
import { readdirSync, readFileSync } from 'node:fs'
import { secondsIn } from './machine.ts'

/** Seconds by thread. */
type Spent = ReadonlyMap<string, { readonly name: string; readonly pid: number; readonly seconds: number }>

export function threadsOf(pids: readonly number[]): Spent {
  return new Map(pids.flatMap((pid) => threadIdsOf(pid).map((thread) => [thread, { pid, ...readThread(pid, thread) }] as const)))
}

/** Seconds between two moments by name, such as `chromium renderer: WebRTC_W_and_N`. A thread that has ended in between is left out. */
export function spentByThread(before: Spent, after: Spent, programOf: (pid: number) => string): Readonly<Record<string, number>> {
  const total: Record<string, number> = {}
  for (const [thread, { name, pid, seconds }] of after) {
    const label = `${programOf(pid)}: ${name}`
    total[label] = (total[label] ?? 0) + seconds - (before.get(thread)?.seconds ?? 0)
  }
  return total
}

function threadIdsOf(pid: number): readonly string[] {
  try {
    return readdirSync(`/proc/${pid}/task`)
  } catch {
    return [] // The process has ended.
  }
}

function readThread(pid: number, thread: string): { readonly name: string; readonly seconds: number } {
  try {
    const stat = readFileSync(`/proc/${pid}/task/${thread}/stat`, 'utf8')
    return { name: /\((.*)\)/s.exec(stat)?.[1] ?? '', seconds: secondsIn(stat) }
  } catch {
    return { name: 'ended', seconds: 0 }
  }
}
