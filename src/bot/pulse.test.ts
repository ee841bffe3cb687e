import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { CaptureHealth } from './capture/capture.ts'
import { startPulse } from './pulse.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

type Page = CaptureHealth['pages'][number]

/** A page that answers as long as `moves` says so, and a recording in it that sends frames and says that it lives. */
function bench() {
  const state = { moves: true, beats: true, frames: 0 }
  const page: { now: Page } = { now: { connected: true, lastHeartbeatMs: 0, silentMs: 0, frames: 0, dropped: 0 } }
  const health = (): CaptureHealth => {
    if (state.beats) page.now = { ...page.now, lastHeartbeatMs: performance.now() }
    return { paused: false, sources: {}, pendingBytes: 0, syncedMs: 0, failure: null, pages: [{ ...page.now, frames: state.frames }] }
  }
  const touch = () => (state.moves ? Promise.resolve() : new Promise<void>(() => undefined))
  const pulse = startPulse({ touch, health }, () => Date.now())
  let still: string | null = null
  void pulse.still.then((words) => {
    still = words
  })
  return { state, pulse, still: () => still }
}

test('a page that hangs is noticed after seven seconds and within ten, one that is only silent is not', async () => {
  const { state, pulse, still } = bench()
  await vi.advanceTimersByTimeAsync(60_000)
  expect(still()).toBeNull()
  state.moves = false
  await vi.advanceTimersByTimeAsync(6_000)
  expect(still()).toBeNull()
  await vi.advanceTimersByTimeAsync(3_000)
  expect(still()).toBe('The page has not moved for 7 s')
  pulse.stop()
})

test('so is a recording in the page that says nothing any more', async () => {
  const { state, pulse, still } = bench()
  await vi.advanceTimersByTimeAsync(5_000)
  state.beats = false
  await vi.advanceTimersByTimeAsync(10_000)
  expect(still()).toBe('The recording in the page has not moved for 7 s')
  pulse.stop()
})

test('media is what came in since the last look', async () => {
  const { state, pulse } = bench()
  await vi.advanceTimersByTimeAsync(3_000)
  expect(pulse.lastMediaAt()).toBeNull()
  state.frames = 10
  await vi.advanceTimersByTimeAsync(1_000)
  const at = pulse.lastMediaAt()
  expect(at).toBe(Date.now())
  await vi.advanceTimersByTimeAsync(5_000)
  expect(pulse.lastMediaAt()).toBe(at)
  pulse.stop()
})
