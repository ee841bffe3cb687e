import { expect, test, vi } from 'vitest'
import type { BotId } from '../../domain/bot.ts'
import { MOST_STARVED_CHECKS } from '../../kit/silence.ts'
import { newHost, noteAlive, silentBots } from './host.ts'
import type { HostSandbox } from './host-sandbox.ts'
import type { HostProcess } from './keeper-client.ts'

const [A, B] = ['bot_a', 'bot_b'] as [BotId, BotId]

/** A host with two bots, without a process or a home. */
function bench() {
  const host = newHost({} as HostProcess, {} as HostSandbox)
  for (const id of [A, B]) host.bots.set(id, { sinceMs: 0, fence: 1, silentTicks: 0, missedBeats: 0, onGone: [] })
  return host
}

test('reports a bot as silent after its live host omits it from three heartbeats', () => {
  const host = bench()
  for (const bots of [[A, B], [A], [A]]) {
    noteAlive(host, bots)
    expect(silentBots(host)).toEqual([])
  }
  noteAlive(host, [A])
  expect(silentBots(host)).toEqual([B])
})

test('does not report a bot that is listed again', () => {
  const host = bench()
  for (const bots of [[A], [A], [A, B], [A], [A]]) noteAlive(host, bots)
  expect(silentBots(host)).toEqual([])
})

test('reports all bots of a host without a heartbeat after seven ticks, or later while it starts', () => {
  const [started, starting] = [bench(), bench()]
  noteAlive(started, [A, B])
  for (let tick = 0; tick < 7; tick++) for (const host of [started, starting]) expect(silentBots(host)).toEqual([])
  expect([silentBots(started), silentBots(starting)]).toEqual([[A, B], []])
})

test('waits for 30 ticks while the silent host has too little CPU', () => {
  const host = bench()
  noteAlive(host, [A, B])
  vi.spyOn(host.silence, 'limit').mockReturnValue(MOST_STARVED_CHECKS)
  for (let tick = 0; tick < 30; tick++) expect(silentBots(host)).toEqual([])
  expect(silentBots(host)).toEqual([A, B])
})
