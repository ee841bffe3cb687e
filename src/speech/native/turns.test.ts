// Finals wait for one another; a foretaste waits for nobody, and nobody waits for it.
import { setTimeout as delay } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { until } from '../../../test/helpers/until.ts'
import { Turns } from './turns.ts'

test('work is done one after another, in the order it came, also after a failure', async () => {
  const turns = new Turns()
  const done: number[] = []
  const work = (number: number) => async () => {
    await new Promise((resolve) => setImmediate(resolve))
    done.push(number)
    if (number === 2) throw new Error('two')
  }
  const all = [turns.take(work(1)), turns.take(work(2)), turns.take(work(3))]
  expect([turns.isBusy, turns.isNeeded]).toEqual([true, true])
  await expect(all[1]).rejects.toThrow('two')
  await all[2]
  expect(done).toEqual([1, 2, 3])
  expect([turns.isBusy, turns.isNeeded]).toEqual([false, false])
})

test('a foretaste is left out when the engine is busy, and given up when somebody comes', async () => {
  const turns = new Turns()
  let tries = 0
  let wasGivenUp = false
  const foretaste = turns.tryNow({}, async (signal) => {
    tries++
    await new Promise((resolve) => signal.addEventListener('abort', resolve))
    wasGivenUp = true
  })
  await until('it has begun', () => tries === 1)
  const other = async () => void tries++
  expect(turns.tryNow({}, other)).toBeNull()
  expect(turns.isNeeded).toBe(false)
  await turns.take(async () => expect(wasGivenUp).toBe(true))
  await foretaste
  expect(tries).toBe(1)
})

test('foretastes go to who has waited longest, and never take more than half of the time', async () => {
  const turns = new Turns()
  const [ann, ben] = [{ name: 'Ann' }, { name: 'Ben' }]
  const tasted: string[] = []
  const taste = (who: typeof ann) =>
    turns.tryNow(who, async () => {
      tasted.push(who.name)
      await delay(50)
    })
  const endedMs: number[] = []
  const beganMs: number[] = []
  const both = async () => {
    for (const who of [ann, ben]) {
      const began = performance.now()
      const tasting = taste(who)
      if (!tasting) continue
      beganMs.push(began)
      await tasting
      endedMs.push(performance.now())
    }
    return tasted.length >= 6
  }
  await until('six are tasted', both)
  expect(tasted).toEqual(['Ann', 'Ben', 'Ann', 'Ben', 'Ann', 'Ben'])
  for (const [at, ended] of endedMs.slice(0, -1).entries()) expect((beganMs[at + 1] ?? 0) - ended).toBeGreaterThan(45)
})

test('a voice that withdraws its request for a part does not block the parts of others', async () => {
  const turns = new Turns()
  const [ann, ben] = [{ name: 'Ann' }, { name: 'Ben' }]
  const work = turns.take(async () => undefined)
  expect([turns.tryNow(ann, async () => undefined), turns.tryNow(ben, async () => undefined)]).toEqual([null, null])
  await work
  turns.forget(ann)
  await expect(turns.tryNow(ben, async () => undefined)).resolves.toBeUndefined()
})
