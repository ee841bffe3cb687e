// When captions are turned on: on request, for names, in each call, and after failures.
import { expect, test } from 'vitest'
import { Failure } from '../../../kit/failure.ts'
import { MeetingCaptions } from './meeting-captions.ts'

const MINUTE_MS = 60_000

function bench() {
  const tried: (string | null)[] = []
  const problems: string[] = []
  const state = { now: 0, works: true }
  const captions = new MeetingCaptions({
    async turnOn(language) {
      tried.push(language)
      if (!state.works) throw new Failure('captions_failed', 'The meeting has no button')
    },
    onProblem: (message) => problems.push(message),
    now: () => state.now,
  })
  const look = (atMs: number, isNeeded = false, call = 'main') => {
    state.now = atMs
    return captions.keep(isNeeded, call)
  }
  return { captions, tried, problems, state, look }
}

test('turns captions on once where a call needs them', async () => {
  const { tried, look } = bench()
  await look(0)
  expect(tried).toEqual([])
  for (const at of [1_000, 2_000, 3_000]) await look(at, true)
  expect(tried).toEqual([null])
})

test('turns requested captions on again in each call, in their language', async () => {
  const { captions, tried, look } = bench()
  await look(0)
  await captions.request('de')
  await look(1_000)
  expect(tried).toEqual(['de'])
  await look(2_000, false, 'Red')
  await look(3_000, false, 'Red')
  await look(4_000, false, 'main again')
  expect(tried).toEqual(['de', 'de', 'de'])
})

test('turns captions on once that are requested before the first look', async () => {
  const { captions, tried, look } = bench()
  const request = captions.request(null)
  await Promise.all([look(0), request])
  await look(1_000)
  expect(tried).toHaveLength(1)
})

test('leaves captions off in a call that does not need them, where they were only for names', async () => {
  const { tried, look } = bench()
  await look(0, true)
  await look(1_000, false, 'Red')
  expect(tried).toEqual([null])
})

test('tries again after one, two, four and eight minutes, and says once that it failed', async () => {
  const { tried, problems, state, look } = bench()
  state.works = false
  const triedAt: number[] = []
  for (let minute = 0; minute <= 60; minute += 0.5) {
    const before = tried.length
    await look(minute * MINUTE_MS, true)
    if (tried.length > before) triedAt.push(minute)
  }
  expect(triedAt).toEqual([0, 1, 3, 7, 15])
  expect(problems).toEqual(['The captions could not be turned on: The meeting has no button'])
})

test('tries at once in the next call after failures', async () => {
  const { tried, state, look } = bench()
  state.works = false
  await look(0, true)
  state.works = true
  await look(1_000, true, 'Red')
  expect(tried).toHaveLength(2)
})

test('does not take captions of the call that it left for those of the next', async () => {
  const { captions, tried, look } = bench()
  await look(0)
  const request = captions.request(null)
  const moved = look(1_000, false, 'Red')
  await Promise.all([request, moved])
  await look(2_000, false, 'Red')
  expect(tried).toHaveLength(2)
})

test('fails a request that fails, and does not repeat it', async () => {
  const { captions, tried, state, look } = bench()
  state.works = false
  await expect(captions.request('xx')).rejects.toThrow('no button')
  await look(60_000)
  expect(tried).toEqual(['xx'])
})
