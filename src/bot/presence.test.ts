import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { OutgoingMedia } from './outgoing/outgoing.ts'
import { createPresence } from './presence.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const RED = Buffer.from('red')
const BLUE = Buffer.from('blue')

function bench() {
  const deeds: string[] = []
  const state = { sounding: false }
  const media: OutgoingMedia = {
    initScript: '',
    show: async (_run, picture) => void deeds.push(`show ${picture?.toString() ?? 'nothing'}`),
    play: () => ({ begun: Promise.resolve(true), over: Promise.resolve() }),
    feed: async () => void deeds.push('feed'),
    clear: async () => void deeds.push('clear'),
    sounding: async () => state.sounding,
  }
  const driver = {
    page: { run: async () => undefined },
    turn: async (device: string, on: boolean) => void deeds.push(`${device} ${on ? 'on' : 'off'}`),
  }
  return { deeds, state, presence: createPresence(driver, media) }
}

test('the camera is on while there is something to see', async () => {
  const { deeds, presence } = bench()
  await presence.show(RED, 5)
  expect(deeds).toEqual(['show red', 'camera on'])
  await vi.advanceTimersByTimeAsync(5_000)
  expect(deeds.slice(2)).toEqual(['camera off', 'show nothing'])
})

test('a standing picture comes back when another one’s time is over', async () => {
  const { deeds, presence } = bench()
  await presence.stand(BLUE)
  await presence.show(RED, 5)
  await vi.advanceTimersByTimeAsync(5_000)
  expect(deeds.filter((it) => it.startsWith('show'))).toEqual(['show blue', 'show red', 'show blue'])
  expect(deeds).not.toContain('camera off')
})

test('a later picture is not taken down by an earlier one’s end', async () => {
  const { deeds, presence } = bench()
  await presence.show(RED, 5)
  await presence.show(BLUE, null)
  await vi.advanceTimersByTimeAsync(60_000)
  expect(deeds).not.toContain('camera off')
})

test('the microphone is on before the first sound and off a while after the last', async () => {
  const { deeds, state, presence } = bench()
  state.sounding = true
  await presence.feed(Buffer.alloc(2), { sampleRate: 48_000, channels: 1 })
  expect(deeds).toEqual(['microphone on', 'feed'])
  await vi.advanceTimersByTimeAsync(10_000)
  expect(deeds).not.toContain('microphone off')
  state.sounding = false
  await vi.advanceTimersByTimeAsync(5_000)
  expect(deeds.filter((it) => it === 'microphone off')).toHaveLength(1)
})
