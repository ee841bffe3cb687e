import fc from 'fast-check'
import { expect, test } from 'vitest'
import { NO_LEVEL } from '../wire.ts'
import { type Span, SpeechDetector } from './speech-detector.ts'

/** One packet per letter: `#` is loud, `.` quiet, a blank sends nothing. */
function listen(sound: string, packetMs = 20): readonly Span[] {
  const detector = new SpeechDetector()
  const spans = [...sound].map((letter, index) => {
    if (letter === ' ') return detector.endIfSilent(index * packetMs)
    return detector.push(index * packetMs, letter === '#' ? 25 : 70, packetMs)
  })
  return [...spans, detector.end()].filter((span) => span !== null)
}

test.each([
  ['ignores a click', '..##......', []],
  ['ignores repeated clicks', '##..##..##', []],
  ['detects three loud packets as speech', '..###.....', [{ fromMs: 40, toMs: 100 }]],
  ['continues speech across 380 ms of quiet', `###${'.'.repeat(19)}###`, [{ fromMs: 0, toMs: 500 }]],
  [
    'ends speech after 400 ms of quiet packets',
    `###${'.'.repeat(21)}###`,
    [
      { fromMs: 0, toMs: 60 },
      { fromMs: 480, toMs: 540 },
    ],
  ],
  [
    'ends speech after 400 ms without packets',
    `###${' '.repeat(21)}###`,
    [
      { fromMs: 0, toMs: 60 },
      { fromMs: 480, toMs: 540 },
    ],
  ],
])('%s', (_, sound, spans) => {
  expect(listen(sound)).toEqual(spans)
})

test.each([
  ['ignores a click', '..#......', []],
  ['detects two loud packets as speech', '..##.....', [{ fromMs: 120, toMs: 240 }]],
  ['continues speech across 360 ms of quiet', `##${'.'.repeat(6)}##`, [{ fromMs: 0, toMs: 600 }]],
  [
    'ends speech after 420 ms of quiet packets',
    `##${'.'.repeat(8)}##`,
    [
      { fromMs: 0, toMs: 120 },
      { fromMs: 600, toMs: 720 },
    ],
  ],
])('%s in packets of 60 ms', (_, sound, spans) => {
  expect(listen(sound, 60)).toEqual(spans)
})

test('reports long speech in adjacent pieces', () => {
  const spans = listen('#'.repeat(600))
  expect(spans).toEqual([
    { fromMs: 0, toMs: 5_000 },
    { fromMs: 5_000, toMs: 10_000 },
    { fromMs: 10_000, toMs: 12_000 },
  ])
})

test('does not take an unknown audio level for speech', () => {
  const detector = new SpeechDetector()
  for (let at = 0; at < 500; at += 20) detector.push(at, NO_LEVEL, 20)
  expect(detector.end()).toBeNull()
})

test('returns spans that never overlap and never run backwards', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom('#', '#', '.', ' '), { maxLength: 800 }), (letters) => {
      let until = 0
      for (const { fromMs, toMs } of listen(letters.join(''))) {
        expect(fromMs).toBeGreaterThanOrEqual(until)
        expect(toMs).toBeGreaterThan(fromMs)
        until = toMs
      }
    }),
  )
})
