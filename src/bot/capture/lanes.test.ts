// A few lanes that carry many people in turn: whoever speaks is one source, at the right time, in whichever lane.
import { expect, test } from 'vitest'
import { ADA, BEN, CY, sender } from '../../../test/helpers/lane-sender.ts'
import { note } from '../../../test/helpers/recording-bench.ts'
import { type LaneSink, Lanes, type LanesOptions } from './lanes.ts'
import type { SourceNote } from './source-note.ts'
import type { WireFrame } from './wire.ts'

type Dealt = { readonly source: string; readonly atMs: number; readonly frame: WireFrame }

function listening(options: LanesOptions = { ignored: [42] }) {
  const [dealt, heard, events]: [Dealt[], Dealt[], string[]] = [[], [], []]
  const notes = new Map<string, SourceNote>([1, 2, 3].map((number) => [`p/${number}`, { ...note('audio'), number, id: `t${number}` }]))
  const sink: LaneSink = {
    noteOf: (lane) => notes.get(lane),
    track: (source, { id, kind }) => void events.push(`${source} is ${kind} ${id}`),
    frame: (source, frame, atMs) => void dealt.push({ source, atMs, frame }),
    timed: (source, frame, atMs) => void dealt.push({ source, atMs, frame }),
    live: (source, frame, atMs) => void heard.push({ source, atMs, frame }),
    trackEnded: (source) => void events.push(`${source} ended`),
  }
  const lanes = new Lanes(sink, options)
  const timesOf = (csrc: number) => dealt.filter(({ source }) => source === `csrc:${csrc}`).map(({ atMs }) => atMs)
  return { lanes, dealt, heard, events, timesOf }
}

const every20 = (fromMs: number, toMs: number): number[] => Array.from({ length: (toMs - fromMs) / 20 }, (_, index) => fromMs + index * 20)

test('a track that names nobody passes untouched', () => {
  const { lanes, dealt, heard, events } = listening()
  const { frameAt } = sender(lanes, 'p/1')
  const frames = [frameAt(0, 0), frameAt(20, 42), frameAt(60, 0)]
  frames.forEach((frame, index) => void lanes.take('p/1', frame, 500 + index))
  const untouched = frames.map((frame, index) => ({ source: 'p/1', frame, atMs: 500 + index }))
  expect([dealt, heard, events]).toEqual([untouched, untouched, []])
  expect(dealt[0]?.frame).toBe(frames[0])
})

test('each speaker of a lane is a source of their own; who is not named stays with the lane', () => {
  const { lanes, dealt, events } = listening()
  const { send } = sender(lanes, 'p/1')
  ;[ADA, BEN, 0, ADA, 42, BEN].forEach((csrc, index) => void send(index * 20, csrc))
  expect(dealt.map(({ source }) => source)).toEqual(['csrc:101', 'csrc:102', 'p/1', 'csrc:101', 'p/1', 'csrc:102'])
  expect(events).toEqual(['csrc:101 is audio csrc:101', 'csrc:102 is audio csrc:102'])
  expect(dealt.every(({ frame }) => frame.sequence === null && frame.csrc === 0)).toBe(true)
})

test('a packet of several speakers stays with the lane and mentions each of them; an ignored source does not make it a mix', () => {
  const { lanes, dealt, heard } = listening()
  const { frameAt } = sender(lanes, 'p/1')
  const packets = [[ADA, BEN], [ADA, 42], [42]].map((mixes, index) => frameAt(index * 20, 0, { mixes }))
  packets.forEach((frame, index) => void lanes.take('p/1', frame, 30 + index * 20))
  expect(dealt.map(({ source, frame }) => [source, frame.mixes])).toEqual([
    ['csrc:101', [ADA, BEN]],
    ['csrc:102', [ADA, BEN]],
    ['p/1', []],
    ['csrc:101', []],
    ['p/1', []],
  ])
  expect(heard.map(({ source }) => source)).toEqual(['p/1', 'csrc:101', 'p/1'])
})

test('of a mix that comes twice one track is taken, and the other one once the first has fallen silent', () => {
  const { lanes, dealt } = listening({ mixed: true })
  const [first, second] = [sender(lanes, 'p/1', { ssrc: 1 }), sender(lanes, 'p/2', { ssrc: 2 })]
  for (let at = 0; at < 200; at += 20) {
    first.send(at, at < 100 ? 0 : ADA)
    second.send(at, at < 100 ? 0 : ADA)
  }
  expect(dealt.map(({ source }) => source)).toEqual([...Array(5).fill('p/1'), ...Array(5).fill('csrc:101')])
  second.send(1_300, 0)
  expect(dealt.at(-1)?.source).toBe('p/2')
})

test('somebody who goes from lane to lane is one source, every packet at its time', () => {
  const { lanes, timesOf } = listening()
  const first = sender(lanes, 'p/1', { ssrc: 1, rtp: 0xffff_0000 })
  const second = sender(lanes, 'p/2', { ssrc: 2, rtp: 12_345, sequence: 9 })
  first.speak(ADA, 1_000, 2_000)
  second.speak(BEN, 1_000, 2_000)
  // Both move: Ada into a lane that others had, Ben into hers.
  second.speak(ADA, 2_000, 3_000)
  first.speak(BEN, 2_600, 3_000)
  first.speak(ADA, 3_000, 3_400)
  // The network's delay is in every arrival, and the clock cannot know it.
  expect(timesOf(ADA).map((at) => at - 30)).toEqual(every20(1_000, 3_400))
  expect(timesOf(BEN).map((at) => at - 30)).toEqual([...every20(1_000, 2_000), ...every20(2_600, 3_000)])
})

test('the time of a visit is that of its lane, also when its first packets are late', () => {
  const { lanes, timesOf } = listening()
  const { speak, send } = sender(lanes, 'p/1')
  speak(ADA, 0, 2_000)
  for (let at = 2_000; at < 2_200; at += 20) send(at, BEN, { lateMs: 180 })
  expect(timesOf(BEN).map((at) => at - 30)).toEqual(every20(2_000, 2_200))
})

test('a lane that began in busy seconds is put right in the next pause of each speaker, and nothing they say is crowded', () => {
  const { lanes, timesOf } = listening()
  const { speak, send } = sender(lanes, 'p/1')
  for (let at = 0; at < 2_000; at += 20) send(at, ADA, { lateMs: 250 })
  speak(ADA, 2_000, 3_000)
  speak(BEN, 3_300, 3_600)
  speak(ADA, 3_600, 4_000)
  // As late as they began, until there is room.
  expect(timesOf(ADA).slice(0, 150)).toEqual(every20(280, 3_280))
  expect(
    timesOf(ADA)
      .slice(150)
      .map((at) => at - 30),
  ).toEqual(every20(3_600, 4_000))
  expect(timesOf(BEN).map((at) => at - 30)).toEqual(every20(3_300, 3_600))
})

test('packets are put in order before they are dealt out, and numbers that went to others are no loss', () => {
  const { lanes, dealt, heard } = listening()
  const { frameAt } = sender(lanes, 'p/1')
  const frames = [ADA, BEN, ADA, ADA, CY, ADA].map((csrc, index) => frameAt(index * 20, csrc))
  const take = (...indices: number[]) => {
    for (const index of indices) lanes.take('p/1', frames[index] ?? frameAt(0, 0), 100 + index * 20)
  }
  take(0, 2, 1, 5, 4)
  expect(dealt.map(({ source }) => source)).toEqual(['csrc:101', 'csrc:102', 'csrc:101'])
  // Who listens live does not wait, and sees no numbers.
  expect(heard.map(({ source }) => source)).toEqual(['csrc:101', 'csrc:101', 'csrc:102', 'csrc:101', 'csrc:103'])
  expect(heard.every(({ frame }) => frame.sequence === null && frame.ssrc === 1)).toBe(true)
  take(3, 3)
  expect(dealt.map(({ source, atMs }) => `${source}@${atMs}`).slice(3)).toEqual(['csrc:101@160', 'csrc:103@180', 'csrc:101@200'])
})

test('what is lost for good is not waited for when a second passes, or when its speaker goes on in another lane', () => {
  const { lanes, timesOf } = listening()
  const [first, second] = [sender(lanes, 'p/1'), sender(lanes, 'p/2', { ssrc: 2 })]
  first.speak(ADA, 0, 100)
  first.frameAt(100, ADA)
  first.speak(ADA, 120, 160)
  second.speak(ADA, 160, 200)
  expect(timesOf(ADA)).toEqual([30, 50, 70, 90, 110, 150, 170, 190, 210])
  second.frameAt(200, ADA)
  second.send(220, ADA)
  lanes.tick(300)
  expect(timesOf(ADA).at(-1)).toBe(250)
})

test('somebody who is in two lanes at once is heard once', () => {
  const { lanes, timesOf } = listening()
  const [first, second] = [sender(lanes, 'p/1'), sender(lanes, 'p/2', { ssrc: 2, delayMs: 34 })]
  for (let at = 0; at < 1_000; at += 20) {
    first.send(at, ADA)
    second.send(at, ADA)
  }
  expect(timesOf(ADA)).toHaveLength(50)
})

test('nothing is lost where the clocks of two lanes disagree, because one of them began in a busy moment', () => {
  const { lanes, timesOf } = listening()
  const [first, second] = [sender(lanes, 'p/1'), sender(lanes, 'p/2', { ssrc: 2, rtp: 77 })]
  for (let at = 0; at < 1_100; at += 20) first.send(at, BEN, { lateMs: 80 })
  second.speak(CY, 0, 1_000)
  first.speak(ADA, 1_100, 2_000)
  second.speak(ADA, 2_000, 2_400)
  first.speak(ADA, 2_400, 2_600)
  expect(timesOf(ADA)).toHaveLength((2_600 - 1_100) / 20)
  // What the clocks differ by is made up for in the next silence.
  second.speak(ADA, 3_000, 3_100)
  expect(
    timesOf(ADA)
      .slice(-5)
      .map((at) => at - 30),
  ).toEqual(every20(3_000, 3_100))
})

test('whoever was silent for five minutes begins anew, and a page that makes speakers up gets only so many', () => {
  const { lanes, dealt, events } = listening()
  const { send } = sender(lanes, 'p/1')
  send(0, ADA)
  send(20, BEN)
  send(200_000, BEN)
  lanes.tick(300_100)
  expect(events.slice(2)).toEqual(['csrc:101 ended'])
  send(300_120, ADA)
  expect(events.slice(3)).toEqual(['csrc:101 is audio csrc:101'])
  for (let index = 0; index < 2_000; index++) send(300_140 + index * 20, 1_000 + index)
  expect(events).toHaveLength(4 + 510)
  expect(dealt.filter(({ source }) => source === 'p/1')).toHaveLength(2_000 - 510)
})

test('after a pause of any length the first packet is taken, whatever its number', () => {
  const { lanes, timesOf } = listening()
  const before = sender(lanes, 'p/1', { sequence: 100 })
  before.speak(ADA, 0, 1_000)
  lanes.pause()
  // 65 500 packets later the count is a little behind where it was.
  const after = sender(lanes, 'p/1', { sequence: 114 })
  after.speak(ADA, 1_310_000, 1_310_100)
  expect(
    timesOf(ADA)
      .slice(50)
      .map((at) => at - 30),
  ).toEqual(every20(1_310_000, 1_310_100))
})
