import { expect, test } from 'vitest'
import { ADA, BEN, CY, openLanes, sender } from '../../../../test/helpers/media/lane-sender.ts'

const every20 = (fromMs: number, toMs: number): number[] => Array.from({ length: (toMs - fromMs) / 20 }, (_, index) => fromMs + index * 20)

test('keeps a speaker who changes lanes as one source, with the right time for every packet', () => {
  const { lanes, timesOf } = openLanes()
  const first = sender(lanes, 'p/1', { ssrc: 1, rtp: 0xffff_0000 })
  const second = sender(lanes, 'p/2', { ssrc: 2, rtp: 12_345, sequence: 9 })
  first.speak(ADA, 1_000, 2_000)
  second.speak(BEN, 1_000, 2_000)
  // Both move: Ada into Ben's lane, Ben into hers.
  second.speak(ADA, 2_000, 3_000)
  first.speak(BEN, 2_600, 3_000)
  first.speak(ADA, 3_000, 3_400)
  // Every arrival includes the network delay, which the clock cannot know.
  expect(timesOf(ADA).map((at) => at - 30)).toEqual(every20(1_000, 3_400))
  expect(timesOf(BEN).map((at) => at - 30)).toEqual([...every20(1_000, 2_000), ...every20(2_600, 3_000)])
})

test('times a new speaker by the clock of the lane, also when their first packets are late', () => {
  const { lanes, timesOf } = openLanes()
  const { speak, send } = sender(lanes, 'p/1')
  speak(ADA, 0, 2_000)
  for (let at = 2_000; at < 2_200; at += 20) send(at, BEN, { lateMs: 180 })
  expect(timesOf(BEN).map((at) => at - 30)).toEqual(every20(2_000, 2_200))
})

test('corrects a lane that started late in the next pause of each speaker, without compressing speech', () => {
  const { lanes, timesOf } = openLanes()
  const { speak, send } = sender(lanes, 'p/1')
  for (let at = 0; at < 2_000; at += 20) send(at, ADA, { lateMs: 250 })
  speak(ADA, 2_000, 3_000)
  speak(BEN, 3_300, 3_600)
  speak(ADA, 3_600, 4_000)
  // As late as at the start, until there is a pause.
  expect(timesOf(ADA).slice(0, 150)).toEqual(every20(280, 3_280))
  expect(
    timesOf(ADA)
      .slice(150)
      .map((at) => at - 30),
  ).toEqual(every20(3_600, 4_000))
  expect(timesOf(BEN).map((at) => at - 30)).toEqual(every20(3_300, 3_600))
})

test.each([true, false])('keeps the clock of a stream that goes on as another track (ended: %s)', (isEnded) => {
  const { lanes, timesOf } = openLanes()
  const before = sender(lanes, 'p/1', { ssrc: 7, sequence: 0 })
  before.speak(ADA, 0, 500)
  if (isEnded) lanes.trackEnded('p/1')
  const after = sender(lanes, 'p/2', { ssrc: 7, sequence: 25 })
  for (let at = 500; at < 800; at += 20) after.send(at, ADA, { lateMs: 800 - at })
  after.speak(ADA, 800, 1_200)
  expect(timesOf(ADA).map((at) => at - 30)).toEqual(every20(0, 1_200))
})

test('does not take the delay of a busy machine for the start of a new lane', () => {
  const { lanes, timesOf } = openLanes()
  const [first, second] = [sender(lanes, 'p/1', { ssrc: 1 }), sender(lanes, 'p/2', { ssrc: 2 })]
  for (let at = 0; at < 2_000; at += 20) {
    const late = { lateMs: at < 1_000 || at >= 1_500 ? 0 : 300 }
    first.send(at, ADA, late)
    if (at >= 1_100) second.send(at, BEN, late)
  }
  expect(timesOf(BEN).map((at) => at - 30)).toEqual(every20(1_100, 2_000))
})

test('orders packets of a lane, and does not count sequence numbers of other speakers as lost', () => {
  const { lanes, passed, live } = openLanes()
  const { frameAt } = sender(lanes, 'p/1')
  const frames = [ADA, BEN, ADA, ADA, CY, ADA].map((csrc, index) => frameAt(index * 20, csrc))
  const take = (...indices: number[]) => {
    for (const index of indices) lanes.frame('p/1', frames[index] ?? frameAt(0, 0), 100 + index * 20)
  }
  take(0, 2, 1, 5, 4)
  expect(passed.map(({ source }) => source)).toEqual(['csrc:101', 'csrc:102', 'csrc:101'])
  // Live audio does not wait for order, and gets no sequence numbers.
  expect(live.map(({ source }) => source)).toEqual(['csrc:101', 'csrc:101', 'csrc:102', 'csrc:101', 'csrc:103'])
  expect(live.every(({ frame }) => frame.sequence === null && frame.ssrc === 1)).toBe(true)
  take(3, 3)
  expect(passed.map(({ source, atMs }) => `${source}@${atMs}`).slice(3)).toEqual(['csrc:101@160', 'csrc:103@180', 'csrc:101@200'])
})

test('stops waiting for a lost packet on a tick, or when its speaker continues in another lane', () => {
  const { lanes, timesOf, tick } = openLanes()
  const [first, second] = [sender(lanes, 'p/1'), sender(lanes, 'p/2', { ssrc: 2 })]
  first.speak(ADA, 0, 100)
  first.frameAt(100, ADA)
  first.speak(ADA, 120, 160)
  second.speak(ADA, 160, 200)
  expect(timesOf(ADA)).toEqual([30, 50, 70, 90, 110, 150, 170, 190, 210])
  second.frameAt(200, ADA)
  second.send(220, ADA)
  tick(300)
  expect(timesOf(ADA).at(-1)).toBe(250)
})

test('passes each packet of a speaker in two lanes once', () => {
  const { lanes, timesOf } = openLanes()
  const [first, second] = [sender(lanes, 'p/1'), sender(lanes, 'p/2', { ssrc: 2, delayMs: 34 })]
  for (let at = 0; at < 1_000; at += 20) {
    first.send(at, ADA)
    second.send(at, ADA)
  }
  expect(timesOf(ADA)).toHaveLength(50)
})

test('loses no packet when the clocks of two lanes disagree', () => {
  const { lanes, timesOf } = openLanes()
  const [first, second] = [sender(lanes, 'p/1'), sender(lanes, 'p/2', { ssrc: 2, rtp: 77 })]
  for (let at = 0; at < 1_100; at += 20) first.send(at, BEN, { lateMs: 80 })
  second.speak(CY, 0, 1_000)
  first.speak(ADA, 1_100, 2_000)
  second.speak(ADA, 2_000, 2_400)
  first.speak(ADA, 2_400, 2_600)
  expect(timesOf(ADA)).toHaveLength((2_600 - 1_100) / 20)
  // The next silence absorbs the difference between the clocks.
  second.speak(ADA, 3_000, 3_100)
  expect(
    timesOf(ADA)
      .slice(-5)
      .map((at) => at - 30),
  ).toEqual(every20(3_000, 3_100))
})

test('accepts any sequence number after a pause', () => {
  const { lanes, timesOf, pause } = openLanes()
  const before = sender(lanes, 'p/1', { sequence: 100 })
  before.speak(ADA, 0, 1_000)
  pause()
  // 65 500 packets later the sequence number is a little lower than before.
  const after = sender(lanes, 'p/1', { sequence: 114 })
  after.speak(ADA, 1_310_000, 1_310_100)
  expect(
    timesOf(ADA)
      .slice(50)
      .map((at) => at - 30),
  ).toEqual(every20(1_310_000, 1_310_100))
})
