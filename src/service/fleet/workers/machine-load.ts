// Measures this machine, or the container's share of it, and the processes of the workers.
import { readdir, readFile } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import type { Logger } from '../../../kit/log.ts'
import { startLoop } from '../../../kit/loop.ts'
import { monotonicMs } from '../../../kit/monotonic.ts'
import type { MachineLoad, WorkerUse } from './capacity.ts'

/** The load is the mean of this period. Shorter peaks, such as the start of a browser, pass. */
const MEASURE_EVERY_MS = 5_000
/** Bots wait for the first measurement. */
const FIRST_PERIOD_MS = 500
const MEGABYTE = 1024 * 1024
/** `USER_HZ` is 100 on every Linux that Node supports. */
const TICKS_PER_SECOND = 100

export type Measured = { readonly load: MachineLoad; readonly use: WorkerUse }

export type MachineMeter = {
  /** Null until the first period has passed. */
  latest(): Measured | null
  stop(): Promise<void>
}

/** What the machine says of itself, or its container if that has a limit. */
export type Machine = {
  /** CPU seconds since it started. */
  busySeconds(): Promise<number>
  cores(): Promise<number>
  freeMegabytes(): number
}

type Sample = { readonly atMs: number; readonly machineSeconds: number; readonly workerSeconds: number; readonly workerMegabytes: number }

type MeterOptions = { readonly machine: Machine; readonly workerPids: () => readonly number[]; readonly log: Logger }

export function startMachineMeter({ machine, workerPids, log }: MeterOptions): MachineMeter {
  let before: Sample | null = null
  let latest: Measured | null = null
  const loop = startLoop({
    async work() {
      const now = await sample(machine, workerPids())
      if (before) latest = { load: await loadBetween(machine, before, now), use: useBetween(before, now) }
      const pauseMs = before ? MEASURE_EVERY_MS : FIRST_PERIOD_MS
      before = now
      return pauseMs
    },
    onError: (error) => log.warn({ err: error }, 'the load of this machine could not be measured; it is tried again'),
    retryMs: MEASURE_EVERY_MS,
  })
  return { latest: () => latest, stop: () => loop.stop() }
}

async function loadBetween(machine: Machine, before: Sample, now: Sample): Promise<MachineLoad> {
  return { cores: await machine.cores(), busyCores: coresBetween(before, now, 'machineSeconds'), freeMegabytes: machine.freeMegabytes() }
}

function useBetween(before: Sample, now: Sample): WorkerUse {
  return { cores: coresBetween(before, now, 'workerSeconds'), megabytes: now.workerMegabytes }
}

/** A process that has ended takes its time out of the sum. */
function coresBetween(before: Sample, now: Sample, which: 'machineSeconds' | 'workerSeconds'): number {
  return Math.max(0, now[which] - before[which]) / ((now.atMs - before.atMs) / 1000)
}

async function sample(machine: Machine, workers: readonly number[]): Promise<Sample> {
  const processes = withDescendants(await allProcesses(), workers)
  const megabytes = await Promise.all(processes.map(({ pid }) => megabytesOf(pid)))
  return {
    atMs: monotonicMs(),
    machineSeconds: await machine.busySeconds(),
    workerSeconds: processes.reduce((sum, { seconds }) => sum + seconds, 0),
    workerMegabytes: megabytes.reduce((sum, it) => sum + it, 0),
  }
}

export const THIS_MACHINE: Machine = { busySeconds, cores: coresHere, freeMegabytes: () => process.availableMemory() / MEGABYTE }

async function busySeconds(): Promise<number> {
  return (await hasQuota())
    ? busyInContainer(await readFile('/sys/fs/cgroup/cpu.stat', 'utf8'))
    : busyOnMachine(await readFile('/proc/stat', 'utf8'))
}

/** Without the time of programs with a low priority, such as the encoders after the call: they give way to bots. */
export function busyOnMachine(procStat: string): number {
  const [first = ''] = procStat.split('\n')
  // user, nice, system, idle, iowait, irq, softirq, steal
  const [user = 0, , system = 0, , , irq = 0, softirq = 0, steal = 0] = first.split(/\s+/).slice(1).map(Number)
  return (user + system + irq + softirq + steal) / TICKS_PER_SECOND
}

/** The same. Older kernels do not count that time separately. */
export function busyInContainer(cpuStat: string): number {
  const figure = (name: string): number => Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(cpuStat)?.[1] ?? 0)
  return (figure('usage_usec') - figure('nice_usec')) / 1_000_000
}

async function coresHere(): Promise<number> {
  const [quota, period] = (await quotaText()).split(' ').map(Number)
  return quota && period ? quota / period : availableParallelism()
}

const hasQuota = async (): Promise<boolean> => /^\d/.test(await quotaText())

/** `max 100000` without a limit, `150000 100000` for one and a half cores. */
const quotaText = (): Promise<string> => readFile('/sys/fs/cgroup/cpu.max', 'utf8').catch(() => 'max')

type Process = { readonly pid: number; readonly parent: number; readonly seconds: number }

async function allProcesses(): Promise<readonly Process[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  const found = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/stat`, 'utf8').then(readStat, () => null)))
  return found.filter((it) => it !== null)
}

function readStat(text: string): Process {
  // The command may contain spaces and parentheses.
  const end = text.lastIndexOf(')')
  const fields = text.slice(end + 2).split(' ')
  const number = (index: number): number => Number(fields[index])
  return { pid: Number.parseInt(text, 10), parent: number(1), seconds: (number(11) + number(12)) / TICKS_PER_SECOND }
}

function withDescendants(processes: readonly Process[], roots: readonly number[]): readonly Process[] {
  const found = processes.filter(({ pid }) => roots.includes(pid))
  for (const parent of found) found.push(...processes.filter((it) => it.parent === parent.pid))
  return found
}

/** The proportional share, because processes of a browser share most of their memory. */
async function megabytesOf(pid: number): Promise<number> {
  const text = await readFile(`/proc/${pid}/smaps_rollup`, 'utf8').catch(() => '')
  const [, kilobytes = '0'] = /^Pss:\s+(\d+) kB/m.exec(text) ?? []
  return Number(kilobytes) / 1024
}
