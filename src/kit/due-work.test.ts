// A few pieces at a time, each beside the others; whoever stops waits for what is under way.
import { expect, test } from 'vitest'
import { until } from '../../test/helpers/until.ts'
import { startDueWork } from './due-work.ts'

test('no more is claimed than can be worked at, and what ends makes room at once', async () => {
  const due = [1, 2, 3, 4, 5]
  const limits: number[] = []
  const ends = new Map<number, () => void>()
  const loop = startDueWork({
    atOnce: 2,
    lookEveryMs: 60_000,
    claim: async (limit) => {
      limits.push(limit)
      return due.splice(0, limit)
    },
    workAt: (piece) => new Promise((resolve) => ends.set(piece, resolve)),
    onError: (error) => expect(error).toBeNull(),
  })
  await until('two are worked at', () => ends.size === 2)
  loop.wake()
  ends.get(1)?.()
  await until('the third is', () => ends.has(3))
  expect([ends.has(4), Math.max(...limits)]).toEqual([false, 2])
  for (const end of ends.values()) end()
  await until('the others are', () => ends.has(5))
  for (const end of ends.values()) end()
  await loop.stop()
})

test('a stop tells those who work, and waits for them', async () => {
  const due = ['it']
  const story: string[] = []
  const loop = startDueWork({
    atOnce: 1,
    lookEveryMs: 5,
    claim: async () => due.splice(0),
    async workAt(_, stopping) {
      story.push('begun')
      await new Promise((resolve) => stopping.addEventListener('abort', resolve))
      await new Promise((resolve) => setImmediate(resolve))
      story.push('ended')
    },
    onError: () => undefined,
  })
  await until('it is begun', () => story.length > 0)
  await loop.stop()
  expect(story).toEqual(['begun', 'ended'])
})

test('a piece that fails is reported, and the next one is claimed', async () => {
  const due = [1, 2]
  const errors: unknown[] = []
  const done: number[] = []
  const loop = startDueWork({
    atOnce: 1,
    lookEveryMs: 5,
    claim: async (limit) => due.splice(0, limit),
    async workAt(piece) {
      if (piece === 1) throw new Error('away')
      done.push(piece)
    },
    onError: (error) => void errors.push(error),
  })
  await until('the second is done', () => done.length > 0)
  await loop.stop()
  expect([done, errors.length]).toEqual([[2], 1])
})

test('a claim that fails is told and made again', async () => {
  const errors: unknown[] = []
  const loop = startDueWork({
    atOnce: 1,
    lookEveryMs: 5,
    claim: async () => {
      throw new Error('away')
    },
    workAt: async () => undefined,
    onError: (error) => void errors.push(error),
  })
  await until('it is told', () => errors.length > 0)
  await loop.stop()
})
