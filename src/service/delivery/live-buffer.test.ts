import { expect, test } from 'vitest'
import { LiveBuffer } from './live-buffer.ts'

/** A buffer with a clock that advances one second per reading, and the messages that its receiver got. */
function bench() {
  let second = 0
  const buffer = new LiveBuffer(() => new Date(second++ * 1_000))
  const sent: string[] = []
  const flush = (most: number) =>
    buffer.flush(
      (text) => sent.push(text),
      () => sent.length < most,
    )
  return { buffer, sent, flush }
}

test('sends messages in order, and keeps those that the receiver cannot take yet', () => {
  const { buffer, sent, flush } = bench()
  for (const text of ['a', 'b', 'c']) buffer.add(text)
  flush(2)
  expect(sent).toEqual(['a', 'b'])
  flush(10)
  expect(sent).toEqual(['a', 'b', 'c'])
})

test('drops the oldest messages beyond 256, and reports them once, before the rest', () => {
  const { buffer, sent, flush } = bench()
  for (let index = 0; index < 258; index++) buffer.add(`${index}`)
  flush(1_000)
  const gap = { type: 'gap', frames: 2, from: '1970-01-01T00:00:00.000Z', to: '1970-01-01T00:00:01.000Z' }
  expect([JSON.parse(sent[0] ?? ''), sent[1], sent.length]).toEqual([gap, '2', 257])
  buffer.add('last')
  flush(1_000)
  expect(sent.slice(257)).toEqual(['last'])
})
