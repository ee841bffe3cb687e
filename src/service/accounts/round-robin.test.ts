import { expect, test } from 'vitest'
import { until } from '../../../test/helpers/until.ts'
import { createRoundRobin } from './round-robin.ts'

/** Work that starts and ends when the test says so. */
function controlledWork() {
  const enqueue = createRoundRobin()
  const started: string[] = []
  const ends: (() => void)[] = []
  const ask = (network: string) =>
    enqueue(network, () => {
      started.push(network)
      return new Promise<string>((resolve) => ends.push(() => resolve(network)))
    })
  return { ask, started, endOldest: () => ends.shift()?.() }
}

test('starts the work of another network after one turn of a network that floods', async () => {
  const { ask, started, endOldest } = controlledWork()
  for (let count = 0; count < 10; count += 1) void ask('192.0.2.1')
  const other = ask('192.0.2.2')
  endOldest()
  endOldest()
  await until('two more have started', () => started.length === 4)
  expect(started.slice(2)).toEqual(['192.0.2.1', '192.0.2.2'])
  endOldest()
  endOldest()
  expect(await other).toBe('192.0.2.2')
})

test('rejects the eleventh work of a network with a Retry-After', async () => {
  const { ask } = controlledWork()
  for (let count = 0; count < 10; count += 1) void ask('192.0.2.1')
  await expect(ask('192.0.2.1')).rejects.toMatchObject({ code: 'too_many_requests', retryAfterSeconds: 5 })
})

test('rejects work of any network while two hundred wait', async () => {
  const { ask } = controlledWork()
  for (let count = 0; count < 202; count += 1) void ask(`network ${count}`)
  await expect(ask('another network')).rejects.toMatchObject({ code: 'too_many_requests' })
})

test('accepts new work of a network after its waiting work is done', async () => {
  const { ask, started, endOldest } = controlledWork()
  const all = Array.from({ length: 10 }, () => ask('192.0.2.1'))
  for (const [count, work] of all.entries()) {
    await until('the work has started', () => started.length > count)
    endOldest()
    await work
  }
  const later = ask('192.0.2.1')
  endOldest()
  expect(await later).toBe('192.0.2.1')
})
