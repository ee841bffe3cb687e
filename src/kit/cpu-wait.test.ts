import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, onTestFinished, test } from 'vitest'
import { until } from '../../test/helpers/until.ts'
import { cpuWaits, isStarvedBetween } from './cpu-wait.ts'

/** A shell with these children, all on one CPU. */
async function startShell(script: string): Promise<number> {
  const child = spawn('taskset', ['-c', '0', 'sh', '-c', `${script} echo ready; wait`], { detached: true })
  const { pid = 0 } = child
  onTestFinished(() => void process.kill(-pid, 'SIGKILL'))
  await once(child.stdout, 'data')
  return pid
}

test('finds a process whose descendants compete for one CPU', async () => {
  const pid = await startShell('for it in 1 2 3 4; do while :; do :; done & done;')
  const [before, sinceMs] = [cpuWaits(pid), performance.now()]
  expect(before.size).toBeGreaterThanOrEqual(5)
  await until(
    'a thread has waited for most of a second',
    () => {
      const elapsedMs = performance.now() - sinceMs
      return elapsedMs > 1_000 && isStarvedBetween(before, cpuWaits(pid), elapsedMs)
    },
    10_000,
  )
})

test('does not call a process starved that has nothing to do', async () => {
  const pid = await startShell('sleep 60 &')
  const [before, sinceMs] = [cpuWaits(pid), performance.now()]
  await until('a second has passed', () => performance.now() - sinceMs > 1_000, 10_000)
  expect(isStarvedBetween(before, cpuWaits(pid), performance.now() - sinceMs)).toBe(false)
})

test('knows nothing of a process that has ended', () => {
  expect(cpuWaits(2 ** 22 + 1).size).toBe(0)
})
