import { setTimeout as delay } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { until } from '../../../test/helpers/until.ts'
import { EngineQueue } from './engine-queue.ts'

test('runs final work one at a time in order, also after a failure', async () => {
  const queue = new EngineQueue()
  const done: number[] = []
  const work = (number: number) => async () => {
    await new Promise((resolve) => setImmediate(resolve))
    done.push(number)
    if (number === 2) throw new Error('two')
  }
  const all = [queue.run(work(1)), queue.run(work(2)), queue.run(work(3))]
  expect([queue.isBusy, queue.hasFinalWork]).toEqual([true, true])
  await expect(all[1]).rejects.toThrow('two')
  await all[2]
  expect(done).toEqual([1, 2, 3])
  expect([queue.isBusy, queue.hasFinalWork]).toEqual([false, false])
})

test('skips interim work while the engine is busy and aborts it when final work arrives', async () => {
  const queue = new EngineQueue()
  let tries = 0
  let wasGivenUp = false
  const foretaste = queue.tryInterim({}, async (signal) => {
    tries++
    await new Promise((resolve) => signal.addEventListener('abort', resolve))
    wasGivenUp = true
  })
  await until('it has begun', () => tries === 1)
  const other = async () => void tries++
  expect(queue.tryInterim({}, other)).toBeNull()
  expect(queue.hasFinalWork).toBe(false)
  await queue.run(async () => expect(wasGivenUp).toBe(true))
  await foretaste
  expect(tries).toBe(1)
})

test('limits interim work to half of the time, and prefers the longest waiting stream', async () => {
  const queue = new EngineQueue()
  const [ann, ben] = [{ name: 'Ann' }, { name: 'Ben' }]
  const ran: string[] = []
  const tryInterim = (stream: typeof ann) =>
    queue.tryInterim(stream, async () => {
      ran.push(stream.name)
      await delay(50)
    })
  const endedMs: number[] = []
  const beganMs: number[] = []
  const both = async () => {
    for (const stream of [ann, ben]) {
      const began = performance.now()
      const running = tryInterim(stream)
      if (!running) continue
      beganMs.push(began)
      await running
      endedMs.push(performance.now())
    }
    return ran.length >= 6
  }
  await until('six are ran', both)
  expect(ran).toEqual(['Ann', 'Ben', 'Ann', 'Ben', 'Ann', 'Ben'])
  for (const [at, ended] of endedMs.slice(0, -1).entries()) expect((beganMs[at + 1] ?? 0) - ended).toBeGreaterThan(45)
})

test('does not block interim work of other streams after a stream withdraws', async () => {
  const queue = new EngineQueue()
  const [ann, ben] = [{ name: 'Ann' }, { name: 'Ben' }]
  const work = queue.run(async () => undefined)
  expect([queue.tryInterim(ann, async () => undefined), queue.tryInterim(ben, async () => undefined)]).toEqual([null, null])
  await work
  queue.withdrawInterim(ann)
  await expect(queue.tryInterim(ben, async () => undefined)).resolves.toBeUndefined()
})
