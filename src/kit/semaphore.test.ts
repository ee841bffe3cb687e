import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { createSemaphore } from './semaphore.ts'

/** Work that the test ends. */
function bench(limit: () => number) {
  const semaphore = createSemaphore(limit)
  const begun: string[] = []
  const ends = new Map<string, PromiseWithResolvers<void>>()
  const call = (name: string, signal?: AbortSignal) => {
    const end = Promise.withResolvers<void>()
    ends.set(name, end)
    return semaphore(() => {
      begun.push(name)
      return end.promise
    }, signal)
  }
  return { begun, call, end: (name: string) => ends.get(name)?.resolve(), fail: (name: string) => ends.get(name)?.reject(new Error(name)) }
}

test('begins waiting work in the order of its calls, also after a failure', async () => {
  const { begun, call, end, fail } = bench(() => 2)
  const [first, second, third, fourth] = [call('1'), call('2'), call('3'), call('4')]
  await nextTurn()
  expect(begun).toEqual(['1', '2'])
  fail('2')
  await expect(second).rejects.toThrow('2')
  end('3')
  await third
  end('1')
  end('4')
  await Promise.all([first, fourth])
  expect(begun).toEqual(['1', '2', '3', '4'])
})

test('begins more at the next end after the limit has grown', async () => {
  let limit = 1
  const { begun, call, end } = bench(() => limit)
  const first = call('1')
  call('2')
  call('3')
  await nextTurn()
  expect(begun).toEqual(['1'])
  limit = 2
  end('1')
  await first
  await nextTurn()
  expect(begun).toEqual(['1', '2', '3'])
})

test('passes the turn of work that was aborted while it waited to the next one', async () => {
  const { begun, call, end } = bench(() => 1)
  const stopping = new AbortController()
  const first = call('1')
  const second = call('2', stopping.signal)
  const third = call('3')
  stopping.abort(new Error('stopped'))
  await expect(second).rejects.toThrow('stopped')
  end('1')
  end('3')
  await Promise.all([first, third])
  expect(begun).toEqual(['1', '3'])
})
