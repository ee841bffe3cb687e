import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, onTestFinished, test } from 'vitest'
import { until } from '../../../../test/helpers/until.ts'
import { createLog } from '../../../kit/log.ts'
import { busyInContainer, busyOnMachine, type Measured, startMachineMeter, THIS_MACHINE } from './machine-load.ts'

/** A parent that only waits for the child of its child, which computes. */
const COMPUTES = `process.stdout.write('computes', () => { for (;;); })`
const CHILD = `require('node:child_process').spawn(process.execPath, ['-e', ${JSON.stringify(COMPUTES)}], { stdio: 'inherit' })`
const WORKER = `require('node:child_process').spawn(process.execPath, ['-e', ${JSON.stringify(CHILD)}], { stdio: 'inherit' })`

test('measures the machine, and the descendants of a worker with it', async () => {
  const worker = spawn(process.execPath, ['-e', WORKER], { stdio: ['ignore', 'pipe', 'ignore'], detached: true })
  onTestFinished(() => void process.kill(-(worker.pid ?? 0), 'SIGKILL'))
  // From then on the others only wait.
  await once(worker.stdout, 'data')
  const log = createLog({ level: 'silent', pretty: false })
  const meter = startMachineMeter({ machine: THIS_MACHINE, workerPids: () => [worker.pid ?? 0], log })
  onTestFinished(() => meter.stop())
  expect(meter.latest()).toBeNull()
  // Far more than a process of Node that waits.
  const usesCores = () => (meter.latest()?.use.cores ?? 0) > 0.05 && meter.latest()
  const measured = await until('the use of the worker is known', usesCores, 25_000)
  const { load, use } = measured as Measured
  expect(load.cores).toBeGreaterThan(0)
  expect(load.busyCores).toBeGreaterThan(0)
  expect(load.freeMegabytes).toBeGreaterThan(0)
  // Three processes of Node.
  expect(use.megabytes).toBeGreaterThan(10)
})

test('does not count programs that give way to bots', () => {
  expect(busyOnMachine('cpu  1000 9000 300 70000 20 4 5 6 0 0\ncpu0 1 2 3\n')).toBe(13.15)
  expect(busyInContainer('usage_usec 9000000\nuser_usec 8000000\nsystem_usec 1000000\nnice_usec 6500000\n')).toBe(2.5)
  expect(busyInContainer('usage_usec 9000000\nuser_usec 8000000\n')).toBe(9)
})
