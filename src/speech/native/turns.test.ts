// Finals wait for one another; a foretaste waits for nobody, and nobody waits for it.
import { expect, test } from 'vitest'
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
  const foretaste = turns.tryNow(async (signal) => {
    tries++
    await new Promise((resolve) => signal.addEventListener('abort', resolve))
    wasGivenUp = true
  })
  await turns.tryNow(async () => {
    tries++
  })
  expect(turns.isNeeded).toBe(false)
  await turns.take(async () => expect(wasGivenUp).toBe(true))
  await foretaste
  expect(tries).toBe(1)
})
