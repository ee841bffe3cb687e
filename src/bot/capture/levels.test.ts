import { expect, onTestFinished, test, vi } from 'vitest'
import { followLevels } from './page/levels.ts'
import { Pipe } from './page/pipe.ts'

type Source = { readonly audioLevel?: number; readonly source: number }

function receiverOf(played: readonly Source[]): RTCRtpReceiver {
  class Receiver {
    getSynchronizationSources(): readonly Source[] {
      return played
    }
  }
  vi.stubGlobal('RTCRtpReceiver', Receiver)
  onTestFinished(() => void vi.unstubAllGlobals())
  return new Receiver() as unknown as RTCRtpReceiver
}

const levelsOf = (receiver: RTCRtpReceiver) => receiver.getSynchronizationSources().map(({ audioLevel }) => audioLevel)

test('gives the level of packets for a track that is not played, for ten seconds after the last one', () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  onTestFinished(() => void vi.useRealTimers())
  const receiver = receiverOf([])
  const setLevel = followLevels()
  expect(levelsOf(receiver)).toEqual([])
  setLevel(receiver, 0.4)
  setLevel(receiver, undefined)
  expect(levelsOf(receiver)).toEqual([0.4])
  vi.advanceTimersByTime(10_000)
  expect(levelsOf(receiver)).toEqual([0.4])
  vi.advanceTimersByTime(1)
  expect(levelsOf(receiver)).toEqual([])
})

test('leaves the sources of a played track to the browser', () => {
  const receiver = receiverOf([{ source: 7, audioLevel: 0.1 }])
  followLevels()(receiver, 0.4)
  expect(levelsOf(receiver)).toEqual([0.1])
})

test('reports the loudest packet since the last report', () => {
  const config = { url: '', token: '', batchMs: 100, video: true, encoded: true, fallbackAfterMs: 0, wrapWorkers: false, silent: false }
  const info = { number: 1, id: 't', kind: 'audio', codec: '', label: '', streamId: '', mid: '', way: 'transform' } as const
  const pipe = new Pipe(config, { ship: () => undefined, send: () => undefined }, info, () => undefined)
  const pass = (audioLevel?: number) =>
    pipe.pass({
      data: new ArrayBuffer(1),
      getMetadata: () => ({ mimeType: 'audio/opus', ...(audioLevel !== undefined && { audioLevel }) }),
    })
  pass()
  expect(pipe.takeLevel()).toBeNull()
  for (const level of [0.1, 0.3, 0]) pass(level)
  expect(pipe.takeLevel()).toBe(0.3)
  expect(pipe.takeLevel()).toBeNull()
  pass(0)
  expect(pipe.takeLevel()).toBe(0)
})
