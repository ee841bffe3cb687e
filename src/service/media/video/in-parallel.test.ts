import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { inParallel } from './in-parallel.ts'

/** Work that the test ends. */
function controlled() {
  const open = new Map<number, { end: () => void; fail: (error: Error) => void }>()
  const begun: number[] = []
  const work = (item: number) =>
    new Promise<number>((resolve, reject) => {
      begun.push(item)
      open.set(item, { end: () => resolve(item * 10), fail: reject })
    })
  return {
    begun,
    work,
    end: (item: number) => open.get(item)?.end(),
    fail: (item: number) => open.get(item)?.fail(new Error(`${item} failed`)),
  }
}

test('begins items in order within the limit, and resolves in their order', async () => {
  const { begun, work, end } = controlled()
  const all = inParallel([1, 2, 3], () => 2, work)
  await nextTurn()
  expect(begun).toEqual([1, 2])
  end(2)
  await nextTurn()
  expect(begun).toEqual([1, 2, 3])
  end(3)
  end(1)
  expect(await all).toEqual([10, 20, 30])
})

test('follows a limit that changes meanwhile, and always works on one item', async () => {
  const { begun, work, end } = controlled()
  let most = 3
  const all = inParallel([1, 2, 3, 4], () => most, work)
  await nextTurn()
  expect(begun).toEqual([1, 2, 3])
  most = 0
  end(1)
  end(2)
  await nextTurn()
  expect(begun).toEqual([1, 2, 3])
  end(3)
  await nextTurn()
  expect(begun).toEqual([1, 2, 3, 4])
  end(4)
  expect(await all).toEqual([10, 20, 30, 40])
})

test('begins nothing after a failure, and rejects when the items in progress have ended', async () => {
  const { begun, work, end, fail } = controlled()
  let isOver = false
  const all = inParallel([1, 2, 3], () => 2, work).finally(() => {
    isOver = true
  })
  const rejected = expect(all).rejects.toThrow('2 failed')
  await nextTurn()
  fail(2)
  await nextTurn()
  expect([begun, isOver]).toEqual([[1, 2], false])
  end(1)
  await rejected
  expect(begun).toEqual([1, 2])
})
