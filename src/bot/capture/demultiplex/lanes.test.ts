import { expect, test } from 'vitest'
import { ADA, BEN, openLanes, sender } from '../../../../test/helpers/media/lane-sender.ts'
import { infoOfTrack } from '../source/source-info.ts'
import { Lanes } from './lanes.ts'

test('passes packets of a track without CSRCs unchanged', () => {
  const { lanes, passed, live, events } = openLanes()
  const { frameAt } = sender(lanes, 'p/1')
  const frames = [frameAt(0, 0), frameAt(20, 42), frameAt(60, 0)]
  frames.forEach((frame, index) => void lanes.frame('p/1', frame, 500 + index))
  const untouched = frames.map((frame, index) => ({ source: 'p/1', frame, atMs: 500 + index }))
  expect([passed, live, events]).toEqual([untouched, untouched, []])
  expect(passed[0]?.frame).toBe(frames[0])
})

test('makes a source of each CSRC in a lane, and leaves unnamed packets with the lane', () => {
  const { lanes, passed, live, events } = openLanes()
  const { send } = sender(lanes, 'p/1')
  ;[ADA, BEN, 0, ADA, 42, BEN].forEach((csrc, index) => void send(index * 20, csrc))
  expect(passed.map(({ source }) => source)).toEqual(['csrc:101', 'csrc:102', 'p/1', 'csrc:101', 'p/1', 'csrc:102'])
  expect(events).toEqual(['csrc:101 is audio csrc:101', 'csrc:102 is audio csrc:102'])
  expect(live.every(({ frame }) => frame.sequence === null && frame.csrc === 0)).toBe(true)
})

test('leaves a packet of several CSRCs with the lane and marks each as speaking, not counting ignored CSRCs', () => {
  const { lanes, passed, live } = openLanes()
  const { frameAt } = sender(lanes, 'p/1')
  const packets = [[ADA, BEN], [ADA, 42], [42]].map((mixes, index) => frameAt(index * 20, 0, { mixes }))
  packets.forEach((frame, index) => void lanes.frame('p/1', frame, 30 + index * 20))
  expect(passed.map(({ source, frame }) => [source, frame.isOnlySpeech ?? false])).toEqual([
    ['csrc:101', true],
    ['csrc:102', true],
    ['p/1', false],
    ['csrc:101', false],
    ['p/1', false],
  ])
  expect(live.map(({ source }) => source)).toEqual(['p/1', 'csrc:101', 'p/1'])
})

test('marks audio as a mix unless its stream is that of one participant', () => {
  const marks: unknown[] = []
  const sink = {
    track: (id: string, { isMix = false }: { isMix?: boolean }) => void marks.push([id, isMix]),
    frame: () => undefined,
    trackEnded: () => undefined,
  }
  const lanes = new Lanes(sink, { ownStreams: /^\d+\+CS\+/ })
  const track = (id: string, kind: 'audio' | 'video', streamId: string) =>
    lanes.track(id, infoOfTrack({ number: 1, id, kind, codec: '', label: '', streamId, mid: '', way: 'transform' }))
  track('voice', 'audio', '1024+CS+1')
  track('mix', 'audio', 'mix+1')
  track('camera', 'video', 'any')
  expect(marks).toEqual([
    ['voice', false],
    ['mix', true],
    ['camera', false],
  ])
})

test('records one track of a duplicated mix, and the other after the first falls silent', () => {
  const { lanes, passed } = openLanes({ mixed: true })
  const [first, second] = [sender(lanes, 'p/1', { ssrc: 1 }), sender(lanes, 'p/2', { ssrc: 2 })]
  for (let at = 0; at < 200; at += 20) {
    first.send(at, at < 100 ? 0 : ADA)
    second.send(at, at < 100 ? 0 : ADA)
  }
  expect(passed.map(({ source }) => source)).toEqual([...Array(5).fill('p/1'), ...Array(5).fill('csrc:101')])
  second.send(1_300, 0)
  expect(passed.at(-1)?.source).toBe('p/2')
})

test('ends a source after five silent minutes, and limits the number of CSRCs of a page', () => {
  const { lanes, passed, events, tick } = openLanes()
  const { send } = sender(lanes, 'p/1')
  send(0, ADA)
  send(20, BEN)
  send(200_000, BEN)
  tick(300_100)
  expect(events.slice(2)).toEqual(['csrc:101 ended'])
  send(300_120, ADA)
  expect(events.slice(3)).toEqual(['csrc:101 is audio csrc:101'])
  for (let index = 0; index < 2_000; index++) send(300_140 + index * 20, 1_000 + index)
  expect(events).toHaveLength(4 + 510)
  expect(passed.filter(({ source }) => source === 'p/1')).toHaveLength(2_000 - 510)
})
