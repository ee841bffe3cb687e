import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { CaptureHealth } from '../capture/capture.ts'
import { watchLiveness } from './liveness.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

type Page = CaptureHealth['pages'][number]

/** A page that responds while `responds` is true, with a recording that sends frames and heartbeats. */
function openLiveness() {
  /** `waitShare`: the part of its time for which a thread of the browser waits for a CPU. */
  const state = { responds: true, beats: true, frames: 0, waitShare: 0 }
  const page: { now: Page } = { now: { connected: true, lastHeartbeatMs: 0, frames: 0, dropped: 0 } }
  const health = (): CaptureHealth => {
    if (state.beats) page.now = { ...page.now, lastHeartbeatMs: performance.now() }
    return {
      paused: false,
      sources: {},
      dropped: 0,
      pendingBytes: 0,
      failure: null,
      pages: [{ ...page.now, frames: state.frames }],
    }
  }
  const touch = () => (state.responds ? Promise.resolve() : new Promise<void>(() => undefined))
  const liveness = watchLiveness({ touch, health, waits: () => new Map([['1', performance.now() * state.waitShare]]) }, () => Date.now())
  let frozen: string | null = null
  void liveness.frozen.then((message) => {
    frozen = message
  })
  return { state, liveness, frozen: () => frozen }
}

test('detects a page that hangs within seven to ten seconds, but not a page without media', async () => {
  const { state, liveness, frozen } = openLiveness()
  await vi.advanceTimersByTimeAsync(60_000)
  expect(frozen()).toBeNull()
  state.responds = false
  await vi.advanceTimersByTimeAsync(6_000)
  expect(frozen()).toBeNull()
  await vi.advanceTimersByTimeAsync(3_000)
  expect(frozen()).toBe('The page has not responded for 7 s')
  liveness.stop()
})

test('detects a recording that sends no heartbeats', async () => {
  const { state, liveness, frozen } = openLiveness()
  await vi.advanceTimersByTimeAsync(5_000)
  state.beats = false
  await vi.advanceTimersByTimeAsync(10_000)
  expect(frozen()).toBe('The recording in the page has not responded for 7 s')
  liveness.stop()
})

test('dates the last media by an increase of the frame count', async () => {
  const { state, liveness } = openLiveness()
  await vi.advanceTimersByTimeAsync(3_000)
  expect(liveness.lastMediaAt()).toBeNull()
  state.frames = 10
  await vi.advanceTimersByTimeAsync(1_000)
  const at = liveness.lastMediaAt()
  expect(at).toBe(Date.now())
  await vi.advanceTimersByTimeAsync(5_000)
  expect(liveness.lastMediaAt()).toBe(at)
  liveness.stop()
})

test('waits for 30 s while the browser has too little CPU', async () => {
  const { state, liveness, frozen } = openLiveness()
  await vi.advanceTimersByTimeAsync(5_000)
  state.waitShare = 0.8
  state.responds = false
  await vi.advanceTimersByTimeAsync(29_000)
  expect([frozen(), liveness.isStarved()]).toEqual([null, true])
  await vi.advanceTimersByTimeAsync(3_000)
  expect(frozen()).toBe('The page has not responded for 30 s')
  liveness.stop()
})

test('ends the starvation once the page responds again', async () => {
  const { state, liveness, frozen } = openLiveness()
  state.waitShare = 0.8
  state.beats = false
  await vi.advanceTimersByTimeAsync(15_000)
  expect(liveness.isStarved()).toBe(true)
  state.beats = true
  await vi.advanceTimersByTimeAsync(1_000)
  expect([frozen(), liveness.isStarved()]).toEqual([null, false])
  liveness.stop()
})

test('does not count a pause of its own process as silence of the page', async () => {
  const { state, liveness, frozen } = openLiveness()
  await vi.advanceTimersByTimeAsync(3_000)
  state.beats = false
  // The timers of a paused process fire once when it goes on.
  vi.setSystemTime(Date.now() + 20_000)
  vi.spyOn(performance, 'now').mockReturnValue(performance.now() + 20_000)
  await vi.advanceTimersByTimeAsync(1_000)
  expect(frozen()).toBeNull()
  liveness.stop()
})
