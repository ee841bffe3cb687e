import { once } from 'node:events'
import { expect, test } from 'vitest'
import { alongside } from './alongside.ts'

test('runs both steps at the same time', async () => {
  const meeting = Promise.withResolvers<string>()
  const both = alongside(
    () => meeting.promise,
    async () => {
      meeting.resolve('sound')
      return 'picture'
    },
  )
  expect(await both).toEqual(['sound', 'picture'])
})

test('lets the first step end although the second has failed', async () => {
  const first = Promise.withResolvers<void>()
  let isEnded = false
  const both = alongside(
    async () => {
      await first.promise
      isEnded = true
    },
    async () => {
      throw new Error('no picture')
    },
  )
  const rejected = expect(both).rejects.toThrow('no picture')
  first.resolve()
  await rejected
  expect(isEnded).toBe(true)
})

test('aborts the second step and awaits it if the first fails', async () => {
  let isEnded = false
  const both = alongside(
    async () => {
      throw new Error('no sound')
    },
    async (signal) => {
      await once(signal, 'abort')
      isEnded = true
    },
  )
  await expect(both).rejects.toThrow('no sound')
  expect(isEnded).toBe(true)
})
