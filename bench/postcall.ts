// What it costs to turn a recording into files: processor seconds and memory of every step, and whether they grow faster than the meeting.
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { loadNow } from './machine.ts'
import { preparedMeeting } from './postcall-recording.ts'
import { atLeast, atMost, type Report } from './report.ts'

const STEP = fileURLToPath(new URL('postcall-step.ts', import.meta.url))
/** Composing an hour takes longer than anybody waits for a bench: pieces of a minute tell as much. */
const ROUNDS = [
  { minutes: [15, 60], steps: ['plan', 'streams', 'mix'] },
  { minutes: [15], steps: ['mp3'] },
  { minutes: [1, 3], steps: ['grid_view'] },
  { minutes: [1], steps: ['speaker_view'] },
] as const
const LOOK_EVERY_MS = 100
/** Reading the plan and starting programs, which is the same for any length. */
const STARTUP_SECONDS = 1

type Measured = { readonly step: string; readonly minutes: number; readonly cpuSeconds: number; readonly peakMegabytes: number }

export async function postcall(): Promise<Report> {
  const before = loadNow()
  const folder = mkdtempSync(path.join(tmpdir(), 'postcall-'))
  try {
    const measured = await measureAll(folder)
    return { figures: { ...figuresOf(measured), machine: { before, after: loadNow() } }, budgets: budgetsOf(measured) }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function measureAll(folder: string): Promise<readonly Measured[]> {
  const make = preparedMeeting()
  const recordingOf = (minutes: number) => path.join(folder, String(minutes))
  for (const minutes of new Set(ROUNDS.flatMap((round) => [...round.minutes]))) make(recordingOf(minutes), minutes)
  const measured: Measured[] = []
  for (const { minutes, steps } of ROUNDS) {
    for (const length of minutes) {
      if (!steps.some((step) => step === 'plan')) await measure('mix', recordingOf(length), length)
      for (const step of steps) measured.push(await measure(step, recordingOf(length), length))
    }
  }
  return measured
}

async function measure(step: string, recording: string, minutes: number): Promise<Measured> {
  const child = spawn(process.execPath, [STEP, step, recording, path.join(recording, 'files')], { stdio: ['ignore', 'pipe', 'inherit'] })
  let peakMegabytes = 0
  const timer = setInterval(() => {
    peakMegabytes = Math.max(peakMegabytes, megabytesOf(child))
  }, LOOK_EVERY_MS)
  try {
    const cpuSeconds = Number(await text(child.stdout))
    if (!(cpuSeconds > 0)) throw new Error(`bench: the step ${step} failed.`)
    return { step, minutes, cpuSeconds, peakMegabytes }
  } finally {
    clearInterval(timer)
  }
}

/** What a process and all it started hold in memory. */
function megabytesOf({ pid = 0 }: ChildProcess): number {
  const family = new Set([pid])
  let kilobytes = 0
  const all = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .sort((a, b) => a - b)
  for (const each of all) {
    const status = statusOf(each)
    if (!family.has(each) && !family.has(Number(/^PPid:\s+(\d+)/m.exec(status)?.[1]))) continue
    family.add(each)
    kilobytes += Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1] ?? 0)
  }
  return kilobytes / 1024
}

function statusOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/status`, 'utf8')
  } catch {
    return '' // It ended while we looked.
  }
}

function figuresOf(measured: readonly Measured[]): Report['figures'] {
  const rows = measured.map(({ step, minutes, cpuSeconds, peakMegabytes }) => [
    `${step}, ${minutes} min`,
    { 'CPU s': cpuSeconds, 'x realtime per core': (minutes * 60) / cpuSeconds, 'peak MB': peakMegabytes },
  ])
  return { 'four people, 360p, 15 pictures a second': Object.fromEntries(rows) }
}

function budgetsOf(measured: readonly Measured[]): Report['budgets'] {
  const of = (step: string, minutes: number) => measured.find((it) => it.step === step && it.minutes === minutes)
  const speed = (step: string, minutes: number) => (minutes * 60) / (of(step, minutes)?.cpuSeconds ?? Number.POSITIVE_INFINITY)
  /** 1 is linear. */
  const growth = (step: string, short: number, long: number) => {
    const [less, more] = [of(step, short)?.cpuSeconds ?? 0, of(step, long)?.cpuSeconds ?? 0]
    return (more - STARTUP_SECONDS) / Math.max(STARTUP_SECONDS, less - STARTUP_SECONDS) / (long / short)
  }
  return [
    atLeast('streams, x realtime per core', speed('streams', 60), 200, 'x'),
    atLeast('mixed audio, x realtime per core', speed('mix', 60), 15, 'x'),
    atLeast('grid, x realtime per core', speed('grid_view', 3), 1.5, 'x'),
    atLeast('speaker view, x realtime per core', speed('speaker_view', 1), 1.5, 'x'),
    // Too little to be told from the start of a program, so it is bounded as it is.
    atMost('plan of 60 min, both views', of('plan', 60)?.cpuSeconds ?? Number.POSITIVE_INFINITY, 2, ' CPU s'),
    atMost('streams, CPU of 60 min over 4 times 15 min', growth('streams', 15, 60), 1.25),
    atMost('mixed audio, the same', growth('mix', 15, 60), 1.25),
    atMost('grid, CPU of 3 min over 3 times 1 min', growth('grid_view', 1, 3), 1.25),
    atMost('memory of any step', Math.max(...measured.map(({ peakMegabytes }) => peakMegabytes)), 700, ' MB'),
    atMost('mixed audio, memory of 60 min over 15 min', (of('mix', 60)?.peakMegabytes ?? 0) / (of('mix', 15)?.peakMegabytes ?? 1), 1.25),
  ]
}
