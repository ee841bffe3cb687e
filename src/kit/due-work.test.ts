// The loop over due work: its concurrency, its errors and its stop.
import { expect, test } from 'vitest'
import { until } from '../../test/helpers/until.ts'
import { startDueWork } from './due-work.ts'

test('claims no more pieces than may run, and claims the next when one ends', async () => {
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
  await until('two pieces run', () => ends.size === 2)
  loop.wake()
  ends.get(1)?.()
  await until('the third piece runs', () => ends.has(3))
  expect([ends.has(4), Math.max(...limits)]).toEqual([false, 2])
  for (const end of ends.values()) end()
  await until('the other pieces run', () => ends.has(5))
  for (const end of ends.values()) end()
  await loop.stop()
})

test('aborts the running pieces on stop and waits for them', async () => {
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
  await until('the piece runs', () => story.length > 0)
  await loop.stop()
  expect(story).toEqual(['begun', 'ended'])
})

test('reports a failed piece and claims the next', async () => {
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
  await until('the second piece is done', () => done.length > 0)
  await loop.stop()
  expect([done, errors.length]).toEqual([[2], 1])
})

test('reports a failed claim and retries it', async () => {
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
  await until('the failure is reported', () => errors.length > 0)
  await loop.stop()
})

test('claims the next batch without a pause after a full one', async () => {
  const due = [1, 2, 3, 4, 5]
  const claims: number[] = []
  const held: (() => void)[] = []
  const loop = startDueWork({
    atOnce: 10,
    batch: 2,
    lookEveryMs: 60_000,
    claim: async (limit) => {
      claims.push(limit)
      return due.splice(0, limit)
    },
    workAt: () => new Promise((resolve) => held.push(resolve)),
    onError: (error) => expect(error).toBeNull(),
  })
  await until('all pieces are in progress', () => held.length === 5)
  expect(claims).toEqual([2, 2, 2])
  const stopped = loop.stop()
  for (const end of held) end()
  await stopped
})

test('claims a piece when it is due, before the next look', async () => {
  const claimed: string[] = []
  let dueAt = Number.POSITIVE_INFINITY
  const loop = startDueWork({
    atOnce: 1,
    lookEveryMs: 60_000,
    claim: async () => (performance.now() >= dueAt && claimed.length === 0 ? ['piece'] : []),
    untilNextMs: async () => {
      if (dueAt === Number.POSITIVE_INFINITY) dueAt = performance.now() + 20
      return Math.max(1, dueAt - performance.now())
    },
    workAt: async (piece) => void claimed.push(piece),
    onError: (error) => expect(error).toBeNull(),
  })
  await until('the piece is claimed', () => claimed.length > 0)
  await loop.stop()
})

test('claims nothing until a piece is due, and looks again after a claim', async () => {
  const untilDue = [20, 0, 60_000]
  const story: string[] = []
  const loop = startDueWork({
    atOnce: 2,
    lookEveryMs: 60_000,
    untilDueMs: async () => {
      const ms = untilDue.shift() ?? 60_000
      story.push(`due in ${ms}`)
      return ms
    },
    claim: async () => {
      story.push('claim')
      return [1]
    },
    workAt: () => new Promise((resolve) => setImmediate(resolve)),
    onError: (error) => expect(error).toBeNull(),
  })
  await until('it looks again after the claim', () => story.includes('due in 60000'))
  await loop.stop()
  expect(story.slice(0, 4)).toEqual(['due in 20', 'due in 0', 'claim', 'due in 60000'])
})

test('claims again after a full claim without asking whether more is due', async () => {
  const due = [1, 2, 3]
  const story: string[] = []
  const loop = startDueWork({
    atOnce: 10,
    batch: 2,
    lookEveryMs: 60_000,
    untilDueMs: async () => {
      story.push('ask')
      return due.length > 0 ? 0 : 60_000
    },
    claim: async (limit) => {
      const claimed = due.splice(0, limit)
      story.push(`claim ${claimed.length}`)
      return claimed
    },
    workAt: () => Promise.resolve(),
    onError: (error) => expect(error).toBeNull(),
  })
  await until('it has asked twice', () => story.filter((it) => it === 'ask').length === 2)
  await loop.stop()
  expect(story).toEqual(['ask', 'claim 2', 'claim 1', 'ask'])
})

test.each([0, 5])('adds the spread to the pause after a look that found nothing, and to no other (due in %i ms)', async (untilMs) => {
  const spreads: string[] = []
  const due = [[1], [2], []]
  const loop = startDueWork({
    atOnce: 8,
    lookEveryMs: 1,
    spreadMs: () => {
      spreads.push(`${due.length} claims left`)
      return 60_000
    },
    untilDueMs: async () => (due.length > 1 ? 0 : untilMs),
    claim: async () => due.shift() ?? [],
    // Never ends, so that nothing wakes the loop.
    workAt: () => new Promise(() => undefined),
    onError: (error) => expect(error).toBeNull(),
  })
  await until('the loop pauses', () => spreads.length > 0)
  expect(spreads).toEqual([`${untilMs > 0 ? 1 : 0} claims left`])
  void loop.stop()
})
