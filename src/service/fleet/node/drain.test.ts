import { expect, test } from 'vitest'
import { drain } from './drain.ts'

function bench(bots: number, withinMs: number, succeeded = 0) {
  const state = { bots, successions: 0, handedOver: 0, handovers: 0 }
  const interruption = new AbortController()
  const done = drain({
    countBots: () => state.bots,
    withinMs,
    bots: {
      async handOverInTurn() {
        state.successions += 1
        state.bots -= succeeded
      },
      async handOver() {
        state.handovers += 1
        state.handedOver += state.bots
        state.bots = 0
      },
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

test('lets other nodes succeed the bots before the time limit, and hands over only the rest', async () => {
  const { state, done } = bench(3, 1, 2)
  await done
  expect(state).toEqual({ bots: 0, successions: 1, handedOver: 1, handovers: 1 })
  const all = bench(3, 600, 3)
  await all.done
  expect(all.state).toEqual({ bots: 0, successions: 1, handedOver: 0, handovers: 0 })
})

test('hands nothing over when it is interrupted', async () => {
  const { state, interruption, done } = bench(1, 600_000)
  interruption.abort()
  await done
  expect(state).toEqual({ bots: 1, successions: 0, handedOver: 0, handovers: 0 })
})
