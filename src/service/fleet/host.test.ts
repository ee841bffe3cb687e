import type { ChildProcess } from 'node:child_process'
import { expect, test } from 'vitest'
import type { BotId } from '../../domain/bot.ts'
import { newHost, noteAlive, silentBots } from './host.ts'
import type { Quarter } from './host-quarters.ts'

const [A, B] = ['bot_a', 'bot_b'] as [BotId, BotId]

/** A host with two bots; neither its process nor its home is touched. */
function bench() {
  const host = newHost({} as ChildProcess, {} as Quarter)
  for (const id of [A, B]) host.bots.set(id, { fence: 1, silentTicks: 0, missedSigns: 0, onGone: [] })
  return host
}

test('a bot that its living host leaves out of three signs of life is silent', () => {
  const host = bench()
  for (const bots of [[A, B], [A], [A]]) {
    noteAlive(host, bots)
    expect(silentBots(host)).toEqual([])
  }
  noteAlive(host, [A])
  expect(silentBots(host)).toEqual([B])
})

test('a bot that is listed again is not silent', () => {
  const host = bench()
  for (const bots of [[A], [A], [A, B], [A], [A]]) noteAlive(host, bots)
  expect(silentBots(host)).toEqual([])
})

test('all bots of a host without a sign are silent after seven ticks, or later while it starts', () => {
  const [started, starting] = [bench(), bench()]
  noteAlive(started, [A, B])
  for (let tick = 0; tick < 7; tick++) for (const host of [started, starting]) expect(silentBots(host)).toEqual([])
  expect([silentBots(started), silentBots(starting)]).toEqual([[A, B], []])
})
