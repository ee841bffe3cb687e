import { expect, test } from 'vitest'
import type { BotId } from '../../../domain/bot.ts'
import { OverdueBots } from './overdue-bots.ts'

const BOT = { id: 'bot_1' as BotId, status: 'Joining', fence: 1 } as const

function open() {
  const state = { nowMs: 5_000 }
  const overdue = new OverdueBots(() => state.nowMs)
  /** Looks each second. */
  const lookFor = (seconds: number, seatWaitMs = 600_000): number => {
    let ended = 0
    for (let second = 0; second < seconds; second++) {
      ended += overdue.observe([BOT], seatWaitMs).length
      state.nowMs += 1_000
    }
    return ended
  }
  return { state, lookFor }
}

test('ends a bot that looks have found for half a minute, not sooner', () => {
  const { lookFor } = open()
  expect(lookFor(30)).toBe(0)
  expect(lookFor(1)).toBe(1)
})

test('counts anew after a break of the looks', () => {
  const { state, lookFor } = open()
  lookFor(25)
  state.nowMs += 60_000
  expect(lookFor(30)).toBe(0)
})

test('counts on while failed launches of the bot hide it from looks', () => {
  const { state, lookFor } = open()
  lookFor(15)
  state.nowMs += 10_000
  lookFor(5)
  expect(lookFor(1)).toBe(1)
})

test('lets no bot wait for longer than it may wait in all', () => {
  const { lookFor } = open()
  expect(lookFor(5, 5_000)).toBe(0)
  expect(lookFor(1, 5_000)).toBe(1)
})
