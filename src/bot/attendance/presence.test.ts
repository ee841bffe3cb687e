import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createPresence } from './presence.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const RED = Buffer.from('red')
const BLUE = Buffer.from('blue')

function openPresence() {
  const actions: string[] = []
  const state = { playing: false }
  const media: Parameters<typeof createPresence>[1] = {
    show: async (_run, picture) => void actions.push(`show ${picture?.toString() ?? 'nothing'}`),
    play: () => ({ started: Promise.resolve(true), ended: Promise.resolve() }),
    feed: async () => void actions.push('feed'),
    clear: async () => void actions.push('clear'),
    isPlaying: async () => state.playing,
  }
  const driver = {
    page: { run: async () => undefined },
    turn: async (device: string, on: boolean) => void actions.push(`${device} ${on ? 'on' : 'off'}`),
  }
  return { actions, state, presence: createPresence(driver, media) }
}

test('turns the camera on for a picture and off after its seconds', async () => {
  const { actions, presence } = openPresence()
  await presence.show(RED, 5)
  expect(actions).toEqual(['show red', 'camera on'])
  await vi.advanceTimersByTimeAsync(5_000)
  expect(actions.slice(2)).toEqual(['camera off', 'show nothing'])
})

test('shows the default picture again after the seconds of another one', async () => {
  const { actions, presence } = openPresence()
  await presence.showByDefault(BLUE)
  await presence.show(RED, 5)
  await vi.advanceTimersByTimeAsync(5_000)
  expect(actions.filter((it) => it.startsWith('show'))).toEqual(['show blue', 'show red', 'show blue'])
  expect(actions).not.toContain('camera off')
})

test('keeps a later picture when the seconds of an earlier one end', async () => {
  const { actions, presence } = openPresence()
  await presence.show(RED, 5)
  await presence.show(BLUE, null)
  await vi.advanceTimersByTimeAsync(60_000)
  expect(actions).not.toContain('camera off')
})

test('turns the microphone on before the first audio and off after the last', async () => {
  const { actions, state, presence } = openPresence()
  state.playing = true
  await presence.feed(Buffer.alloc(2), { sampleRate: 48_000, channels: 1 })
  expect(actions).toEqual(['microphone on', 'feed'])
  await vi.advanceTimersByTimeAsync(10_000)
  expect(actions).not.toContain('microphone off')
  state.playing = false
  await vi.advanceTimersByTimeAsync(5_000)
  expect(actions.filter((it) => it === 'microphone off')).toHaveLength(1)
})
