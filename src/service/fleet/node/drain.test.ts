import { expect, test } from 'vitest'
import { drain } from './drain.ts'

function bench(bots: number, withinMs: number) {
  const state = { bots, handedOver: 0, handovers: 0 }
  const interruption = new AbortController()
  const done = drain({
    countBots: () => state.bots,
    withinMs,
    handOver: async () => {
      state.handovers += 1
      state.handedOver += state.bots
      state.bots = 0
    },
    interrupted: interruption.signal,
  })
  return { state, interruption, done }
}

test('ends when the last bot has left, without a handover', async () => {
  const { state, done } = bench(1, 600_000)
  state.bots = 0
  await done
  expect(state.handovers).toBe(0)
})

test('hands the remaining bots over after the time limit', async () => {
  const { state, done } = bench(2, 1)
  await done
  expect(state.handedOver).toBe(2)
})

test('hands nothing over when it is interrupted', async () => {
  const { state, interruption, done } = bench(1, 600_000)
  interruption.abort()
  await done
  expect(state).toEqual({ bots: 1, handedOver: 0, handovers: 0 })
})
