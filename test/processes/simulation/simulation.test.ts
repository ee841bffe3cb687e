// The fleet in simulated worlds: crashes, partitions, pauses and skewed clocks on a virtual clock, with the real code and the real PostgreSQL.
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { RUNS_ALL, scaled } from '../../helpers/scale.ts'
import { createTestDatabase } from '../../helpers/service/database.ts'

const ROOT = join(import.meta.dirname, '../../..')
/** For a machine that is busy with other suites: a seed takes about a third of a second on two cores of which one is free. */
const WITHIN_MS = scaled({ all: 30 * 60_000, gate: 10 * 60_000 })

type Simulation = { readonly code: number; readonly output: string }

/** In a process of its own: it replaces the clocks and timers of its program. */
async function simulate(...options: readonly string[]): Promise<Simulation> {
  const database = await createTestDatabase()
  onTestFinished(() => database.drop())
  const args = ['--disable-warning=ExperimentalWarning', 'simulation/main.ts', '--database', database.url, ...options]
  return new Promise((resolve) => {
    execFile(process.execPath, args, { cwd: ROOT, maxBuffer: 64 * 1024 * 1024 }, (error, stdout, stderr) =>
      resolve({ code: error ? Number(error.code) : 0, output: stdout + stderr }),
    )
  })
}

test('holds in every seed', { timeout: WITHIN_MS }, async () => {
  const half = scaled({ all: 1_000, gate: 100 })
  // Program and PostgreSQL take turns, so one simulation keeps one core busy.
  const halves = await Promise.all([1, 1 + half].map((first) => simulate('--seed', `${first}`, '--seeds', `${half}`, '--bots', '3')))
  for (const { code, output } of halves) {
    expect(output).toContain(`${half} seeds held`)
    expect(code).toBe(0)
  }
})

/** The first seed is one that finds the bug. After a change of the code it may be one of the next. */
const PLANTED = [
  { bug: 'short-lease', first: 50, violation: 'double join' },
  { bug: 'unfenced-loss', first: 69, violation: 'double join' },
  { bug: 'eager-delivery', first: 2, violation: 'out of order' },
]

/** They bring their own worlds. */
const PLANTED_IN_WORLDS = [
  { bug: 'forgotten-joiner', first: 3, violation: 'double join' },
  { bug: 'unasked-holder', first: 1, violation: 'double join' },
  { bug: 'silence-promises', first: 2, violation: 'double join' },
  { bug: 'majority-promises', first: 7, violation: 'double join' },
  { bug: 'broken-promise', first: 3, violation: 'double join' },
  { bug: 'late-look', first: 11, violation: 'double join' },
]

const PLANTED_MORE = [
  ...PLANTED_IN_WORLDS,
  { bug: 'forgotten-loss', first: 30, violation: 'stuck' },
  { bug: 'forgotten-node', first: 30, violation: 'stuck' },
  { bug: 'unseen-node', first: 163, violation: 'double join' },
  { bug: 'hasty-stop', first: 178, violation: 'double join' },
  { bug: 'greedy-workspace', first: 38, violation: 'unfair' },
  { bug: 'unfenced-transition', first: 539, violation: 'stale write' },
]

test.each([...PLANTED, ...(RUNS_ALL ? PLANTED_MORE : [])])(
  'finds the planted bug $bug',
  { timeout: WITHIN_MS },
  async ({ bug, first, violation }) => {
    const { code, output } = await simulate('--bug', bug, '--seed', String(first), '--seeds', '1000', '--shrink', '0')
    expect(output).toContain(` fails: ${violation}: `)
    expect(code).toBe(1)
  },
)

test.each(RUNS_ALL ? PLANTED_IN_WORLDS : [])(
  'holds in the worlds of the planted bug $bug without the bug',
  { timeout: WITHIN_MS },
  async ({ bug, first }) => {
    const { code, output } = await simulate('--bug', bug, '--unplanted', '--seed', String(first), '--seeds', '20')
    expect(output).toContain('20 seeds held')
    expect(code).toBe(0)
  },
)

test('reproduces a failure from its seed, step by step, and makes it smaller', { timeout: WITHIN_MS }, async () => {
  const fails = () => simulate('--bug', 'eager-delivery', '--seed', '2', '--seeds', '500', '--shrink', '3')
  const { output } = await fails()
  expect(output).toMatch(/smallest: \d nodes, \d bots, \d faults: out of order/)
  expect((await fails()).output).toBe(output)
})

test('has all bots in time that are due at one instant', { timeout: WITHIN_MS }, async () => {
  const { code, output } = await simulate('--seeds', '1', '--bots', '120', '--nodes', '6', '--full-hour')
  expect(code, output).toBe(0)
  expect(output).toMatch(/120 bots asked to join: the first after -\d+\.\d s, .* the last after -\d+\.\d s/)
})
