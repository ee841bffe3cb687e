// The workers below a test's own service, and their child processes.
import { execFileSync } from 'node:child_process'

type Row = { readonly pid: number; readonly parent: number; readonly args: string }

/** The children of this process that are workers. */
export function workerProcesses(): readonly number[] {
  return workersIn(allProcesses())
}

/** All descendants of the process. */
export function descendantsOf(pid: number): readonly number[] {
  return below(allProcesses(), [pid])
}

/** The workers and their descendants whose command line contains the text. */
export function processesUnderWorkers(text: string): readonly number[] {
  const rows = allProcesses()
  const workers = workersIn(rows)
  const ours = new Set([...workers, ...below(rows, workers)])
  return rows.filter(({ pid, args }) => ours.has(pid) && args.includes(text)).map(({ pid }) => pid)
}

function below(rows: readonly Row[], pids: readonly number[]): readonly number[] {
  const children = rows.filter(({ parent }) => pids.includes(parent)).map(({ pid }) => pid)
  return children.length > 0 ? [...children, ...below(rows, children)] : []
}

function workersIn(rows: readonly Row[]): readonly number[] {
  return rows.filter(({ parent, args }) => parent === process.pid && args.includes('src/bot/worker/main.ts')).map(({ pid }) => pid)
}

function allProcesses(): readonly Row[] {
  return execFileSync('ps', ['-e', '-o', 'pid=,ppid=,args='], { encoding: 'utf8', maxBuffer: 2 ** 26 })
    .trim()
    .split('\n')
    .map((row) => /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(row) ?? [])
    .map(([, pid, parent, args = '']) => ({ pid: Number(pid), parent: Number(parent), args }))
}

export function hasEnded(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return false
  } catch {
    return true
  }
}
