// The cost of post-call processing: CPU seconds and memory of every step, whether they grow faster than the meeting, and when a running service is done.
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { loadNow } from '../harness/machine.ts'
import { atLeast, atMost, type Report } from '../harness/report.ts'
import type { BenchOptions } from '../options.ts'
import { CAMERAS, type Maker, preparedMeeting } from './recording.ts'
import { type Ahead, type Moments, untilDone } from './to-done.ts'

const STEP = fileURLToPath(new URL('step-process.ts', import.meta.url))
type Order = { readonly step: string; readonly minutes: number; readonly cameras: keyof typeof CAMERAS }

const of = (step: string, ...minutes: readonly number[]): readonly Order[] =>
  minutes.map((length) => ({ step, minutes: length, cameras: 'vp8' }))
/** Composing an hour takes too long for a bench. Pieces of one minute show the same. */
const ORDERS: readonly Order[] = [
  ...['plan', 'streams', 'mix'].flatMap((step) => of(step, 15, 60)),
  ...of('mp3', 15),
  ...of('mix', 1, 3),
  ...of('grid_view', 1, 3),
  ...of('speaker_view', 1),
  // The mix is the same for both views that follow.
  ...['mix', 'speaker_view', 'speaker_view_encoded'].flatMap((step) => of(step, 2).map((it) => ({ ...it, cameras: 'h264' as const }))),
]
/** An hour is Done within five minutes on two cores. The rest are the last minutes of the video, which cannot be made during the call. */
const [SECONDS_PER_MINUTE, STARTUP_AND_REST_SECONDS] = [4.5, 30]
const DEFAULT_MINUTES = 4
const LOOK_EVERY_MS = 100
/** Reading the plan and starting programs, which does not depend on the length. */
const STARTUP_SECONDS = 1

type Measured = Order & {
  readonly cpuSeconds: number
  readonly wallSeconds: number
  readonly peakMegabytes: number
}

/** `minutes`: the length of the call that a running service brings to Done. */
export async function postcall({ minutes = DEFAULT_MINUTES }: Pick<BenchOptions, 'minutes'>): Promise<Report> {
  const before = loadNow()
  const folder = mkdtempSync(path.join(tmpdir(), 'postcall-'))
  try {
    const make = await preparedMeeting()
    const measured = await measureAll(folder, { vp8: make, h264: await preparedMeeting(CAMERAS.h264) })
    const moments = {
      'on this node': await untilDone(make, minutes, 'on this node'),
      'on another node': await untilDone(make, minutes, 'on another node'),
      nowhere: await untilDone(make, minutes, 'nowhere'),
    }
    const machine = { before, after: loadNow() }
    return {
      figures: {
        ...figuresOf(measured),
        [`seconds after a call of ${minutes} min, by where pieces were made during it`]: moments,
        machine,
      },
      budgets: [...budgetsOf(measured), ...momentBudgets(moments, minutes)],
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function measureAll(folder: string, makers: Readonly<Record<Order['cameras'], Maker>>): Promise<readonly Measured[]> {
  const measured: Measured[] = []
  for (const order of ORDERS) {
    const recording = path.join(folder, `${order.cameras}-${order.minutes}`)
    if (!existsSync(recording)) makers[order.cameras](recording, order.minutes)
    measured.push(await measure(order, recording))
  }
  return measured
}

async function measure({ step, ...order }: Order, recording: string): Promise<Measured> {
  const child = spawn(process.execPath, [STEP, step, recording, path.join(recording, 'files')], { stdio: ['ignore', 'pipe', 'inherit'] })
  const startedAt = performance.now()
  let peakMegabytes = 0
  const timer = setInterval(() => {
    peakMegabytes = Math.max(peakMegabytes, megabytesOf(child))
  }, LOOK_EVERY_MS)
  try {
    const cpuSeconds = Number(await text(child.stdout))
    if (!(cpuSeconds > 0)) throw new Error(`bench: the step ${step} failed.`)
    return { step, ...order, cpuSeconds, wallSeconds: (performance.now() - startedAt) / 1000, peakMegabytes }
  } finally {
    clearInterval(timer)
  }
}

/** The memory of a process and its descendants. */
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
  const rows = measured.map(({ step, minutes, cameras, cpuSeconds, wallSeconds, peakMegabytes }) => [
    `${step}, ${minutes} min${cameras === 'vp8' ? '' : ', H264 of 720p'}`,
    {
      'CPU s': cpuSeconds,
      'x realtime per core': (minutes * 60) / cpuSeconds,
      'wall s per minute': wallSeconds / minutes,
      'peak MB': peakMegabytes,
    },
  ])
  return { 'four people, 360p, 15 pictures a second': Object.fromEntries(rows) }
}

function momentBudgets(moments: Readonly<Record<Ahead, Moments>>, minutes: number): Report['budgets'] {
  const allowed = STARTUP_AND_REST_SECONDS + SECONDS_PER_MINUTE * minutes
  const { audio, streams, transcript, video } = moments.nowhere
  return [
    ...(['on this node', 'on another node'] as const).map((ahead) =>
      atMost(`from the end of a call to Done, pieces made ${ahead}`, moments[ahead].done, allowed, ' s'),
    ),
    // The video is what takes longest, unless it was made ahead.
    atMost('audio, streams and transcript, to the MP4, without pieces', Math.max(audio, streams, transcript) / video, 1, 'x'),
  ]
}

function budgetsOf(measured: readonly Measured[]): Report['budgets'] {
  const found = (step: string, minutes: number) => measured.find((it) => it.step === step && it.minutes === minutes)
  const speed = (step: string, minutes: number) => (minutes * 60) / (found(step, minutes)?.cpuSeconds ?? Number.POSITIVE_INFINITY)
  /** 1: the cost grows linearly with the length. */
  const growth = (step: string, short: number, long: number) => {
    const [less, more] = [found(step, short)?.cpuSeconds ?? 0, found(step, long)?.cpuSeconds ?? 0]
    return (more - STARTUP_SECONDS) / Math.max(STARTUP_SECONDS, less - STARTUP_SECONDS) / (long / short)
  }
  return [
    atLeast('streams, x realtime per core', speed('streams', 60), 200, 'x'),
    atLeast('mixed audio, x realtime per core', speed('mix', 60), 15, 'x'),
    atLeast('grid, x realtime per core', speed('grid_view', 3), 1.5, 'x'),
    atLeast('speaker view, x realtime per core', speed('speaker_view', 1), 1.5, 'x'),
    atMost(
      'speaker view of H264 cameras, copied where possible, to all encoded',
      (found('speaker_view', 2)?.cpuSeconds ?? Number.POSITIVE_INFINITY) / (found('speaker_view_encoded', 2)?.cpuSeconds ?? 0),
      0.6,
      'x',
    ),
    // Too little to separate from a program's start, so the total is bounded.
    atMost('plan of 60 min, both views', found('plan', 60)?.cpuSeconds ?? Number.POSITIVE_INFINITY, 2, ' CPU s'),
    atMost('streams, CPU of 60 min over 4 times 15 min', growth('streams', 15, 60), 1.25),
    atMost('mixed audio, the same', growth('mix', 15, 60), 1.25),
    atMost('grid, CPU of 3 min over 3 times 1 min', growth('grid_view', 1, 3), 1.25),
    atMost('memory of any step', Math.max(...measured.map(({ peakMegabytes }) => peakMegabytes)), 700, ' MB'),
    atMost(
      'mixed audio, memory of 60 min over 15 min',
      (found('mix', 60)?.peakMegabytes ?? 0) / (found('mix', 15)?.peakMegabytes ?? 1),
      1.25,
    ),
  ]
}
