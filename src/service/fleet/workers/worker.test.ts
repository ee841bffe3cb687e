import { expect, onTestFinished, test, vi } from 'vitest'
import type { BotId, WorkspaceId } from '../../../domain/bot.ts'
import type { Trigger } from '../../../domain/lifecycle.ts'
import { MOST_STARVED_CHECKS } from '../../../kit/silence.ts'
import { ENTER_MS, JOIN_MS, joinPlaces } from './joins.ts'
import type { WorkerProcess } from './keeper-client.ts'
import { countJoins, newWorker, noteAlive, noteMove, seatBot, silentBots } from './worker.ts'
import type { WorkerSandbox } from './worker-sandbox.ts'

const [A, B] = ['bot_a', 'bot_b'] as [BotId, BotId]

/** A worker with two bots, without a process or a home. */
function bench() {
  const worker = newWorker({} as WorkerProcess, {} as WorkerSandbox)
  for (const id of [A, B]) seatBot(worker, { botId: id, fence: 1 }, 'ws_1' as WorkspaceId)
  return worker
}

test('reports a bot as silent after its live worker omits it from three heartbeats', () => {
  const worker = bench()
  for (const bots of [[A, B], [A], [A]]) {
    noteAlive(worker, bots)
    expect(silentBots(worker)).toEqual([])
  }
  noteAlive(worker, [A])
  expect(silentBots(worker)).toEqual([B])
})

test('does not report a bot that is listed again', () => {
  const worker = bench()
  for (const bots of [[A], [A], [A, B], [A], [A]]) noteAlive(worker, bots)
  expect(silentBots(worker)).toEqual([])
})

test('reports all bots of a worker without a heartbeat after seven ticks, or later while it starts', () => {
  const [started, starting] = [bench(), bench()]
  noteAlive(started, [A, B])
  for (let tick = 0; tick < 7; tick++) for (const worker of [started, starting]) expect(silentBots(worker)).toEqual([])
  expect([silentBots(started), silentBots(starting)]).toEqual([[A, B], []])
})

test('waits for 30 ticks while the silent worker has too little CPU', () => {
  const worker = bench()
  noteAlive(worker, [A, B])
  vi.spyOn(worker.silence, 'limit').mockReturnValue(MOST_STARVED_CHECKS)
  for (let tick = 0; tick < 30; tick++) expect(silentBots(worker)).toEqual([])
  expect(silentBots(worker)).toEqual([A, B])
})

/** On a clock of the test. */
function joining() {
  vi.useFakeTimers({ toFake: ['hrtime'] })
  onTestFinished(() => void vi.useRealTimers())
  return bench()
}

test.each<Trigger>(['admitted', 'join_failed', 'join_blocked', 'leaving'])('ends a join with the move %s', (by) => {
  const worker = joining()
  expect(countJoins(worker)).toBe(2)
  noteMove(worker, A, by)
  expect(countJoins(worker)).toBe(1)
})

test('ends a join of a bot that waits in a lobby', () => {
  const worker = joining()
  noteMove(worker, A, 'join_requested')
  vi.advanceTimersByTime(ENTER_MS - 1)
  expect(countJoins(worker)).toBe(2)
  vi.advanceTimersByTime(1)
  expect(countJoins(worker)).toBe(1)
})

test('ends a join that waits for a slow meeting, and does not extend it by a late request', () => {
  const worker = joining()
  vi.advanceTimersByTime(JOIN_MS - 1)
  noteMove(worker, A, 'join_requested')
  expect(countJoins(worker)).toBe(2)
  vi.advanceTimersByTime(1)
  expect(countJoins(worker)).toBe(0)
})

test.each([
  { cores: 0.5, places: 1 },
  { cores: 1.5, places: 1 },
  { cores: 2, places: 2 },
  { cores: 16, places: 16 },
])('lets $places bots join at once on $cores cores', ({ cores, places }) => {
  expect(joinPlaces(cores)).toBe(places)
})
