// Stopping the parts of a service in reverse order.
import { expect, test } from 'vitest'
import { stopAll } from './stop-all.ts'

test('stops the last part first, and continues when a part fails or hangs', async () => {
  const stopped: string[] = []
  const problems: unknown[] = []
  const part = (name: string, stop: () => Promise<unknown> = async () => undefined) => {
    return () => {
      stopped.push(name)
      return stop()
    }
  }
  const stops = [
    part('database'),
    part('broken', () => Promise.reject(new Error('no'))),
    part('hanging', () => new Promise(() => undefined)),
    part('server'),
  ]
  await stopAll(stops, 20, (problem) => problems.push((problem as Error).message))
  expect(stopped).toEqual(['server', 'hanging', 'broken', 'database'])
  expect(problems).toEqual(['A part of the service did not stop in time', 'no'])
  expect(stops).toEqual([])
})
