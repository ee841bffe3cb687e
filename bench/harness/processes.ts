// The cost of process trees from /proc: CPU seconds and proportional memory. PSS counts shared memory once, while resident sizes would count the browser's code for each process.
import { readdirSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { statOf } from './machine.ts'
import { spentByThread, threadsOf } from './threads.ts'

export type Cost = {
  readonly cpuPerMinute: number
  /** The same by program. Browser processes are counted by their type. */
  readonly byProgram: Readonly<Record<string, number>>
  /** The same by thread, for `--profile`. */
  readonly byThread: Readonly<Record<string, number>>
  readonly pssMb: number
  readonly pssByProgram: Readonly<Record<string, number>>
  readonly processes: number
}

/** The roots that still run, and everything they started. */
export function treesOf(roots: readonly number[]): readonly number[] {
  const all = allProcesses()
  const children = Map.groupBy(all, (pid) => statOf(pid)?.parent)
  const below = (pid: number): readonly number[] => [pid, ...(children.get(pid) ?? []).flatMap(below)]
  return roots.filter((pid) => all.includes(pid)).flatMap(below)
}

/** Processes that `parent` itself started, with this in their command line. */
export function childrenWith(parent: number, text: string): readonly number[] {
  return allProcesses().filter((pid) => statOf(pid)?.parent === parent && commandOf(pid).includes(text))
}

/** Memory is read after the measurement, because reading it stalls the process. */
export async function measure(roots: readonly number[], seconds: number): Promise<Cost> {
  const startedAt = performance.now()
  const [before, threadsBefore] = [spentIn(roots), threadsOf(treesOf(roots))]
  await delay(seconds * 1_000)
  const [after, threadsAfter] = [spentIn(roots), threadsOf(treesOf(roots))]
  const minutes = (performance.now() - startedAt) / 60_000
  const pids = [...after.keys()]
  const byProgram = totals(pids, (pid) => ((after.get(pid) ?? 0) - (before.get(pid) ?? 0)) / minutes)
  const threads = Object.entries(spentByThread(threadsBefore, threadsAfter, programOf)).map(([name, spent]) => [name, spent / minutes])
  const pssByProgram = totals(pids, pssOf)
  return {
    cpuPerMinute: sumOf(byProgram),
    byProgram,
    byThread: Object.fromEntries(threads),
    pssMb: sumOf(pssByProgram),
    pssByProgram,
    processes: pids.length,
  }
}

/** Private MB of the roots and of their descendants. */
export type Memory = { readonly worker: number; readonly browser: number; readonly byProgram: Readonly<Record<string, number>> }

export function memoryOf(roots: readonly number[]): Memory {
  const byProgram = totals(
    treesOf(roots).filter((pid) => !roots.includes(pid)),
    privateMemoryOf,
  )
  return { worker: sumOf(totals(roots, privateMemoryOf)), browser: sumOf(byProgram), byProgram }
}

export function openFilesOf(roots: readonly number[]): number {
  return roots.reduce((sum, pid) => sum + readdirSync(`/proc/${pid}/fd`).length, 0)
}

function totals(pids: readonly number[], figureOf: (pid: number) => number): Readonly<Record<string, number>> {
  const total: Record<string, number> = {}
  for (const pid of pids) {
    const program = programOf(pid)
    total[program] = (total[program] ?? 0) + figureOf(pid)
  }
  return total
}

function sumOf(figures: Readonly<Record<string, number>>): number {
  return Object.values(figures).reduce((sum, figure) => sum + figure, 0)
}

/** Proportional MB of these processes alone. */
export function pssMbOf(pids: readonly number[]): number {
  return pids.reduce((sum, pid) => sum + pssOf(pid), 0)
}

function pssOf(pid: number): number {
  return memoryFigure(read(pid, 'smaps_rollup'), 'Pss')
}

/** Without mapped files, whose share depends on other browsers on this machine. */
function privateMemoryOf(pid: number): number {
  const figures = read(pid, 'smaps_rollup')
  return memoryFigure(figures, 'Pss_Anon') + memoryFigure(figures, 'Pss_Shmem')
}

function memoryFigure(figures: string, name: string): number {
  return Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(figures)?.[1] ?? 0) / 1_024
}

function spentIn(roots: readonly number[]): ReadonlyMap<number, number> {
  return new Map(treesOf(roots).map((pid) => [pid, statOf(pid)?.seconds ?? 0]))
}

function allProcesses(): readonly number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
}

function programOf(pid: number): string {
  const command = commandOf(pid)
  const part = /--utility-sub-type=(\w+)/.exec(command)?.[1] ?? /--type=([\w-]+)/.exec(command)?.[1]
  return [basename(command.split(' ', 1)[0] ?? ''), part].filter(Boolean).join(' ')
}

export function commandOf(pid: number): string {
  return read(pid, 'cmdline').replaceAll('\0', ' ')
}

function read(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8')
  } catch {
    return '' // It ended while we looked.
  }
}
