// Speech starts after 60 ms of sound, ends after 400 ms without, and is told once.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Span, SpeechWatch } from './speech.ts'
import { NO_LEVEL } from './wire.ts'

/** One packet of 20 ms per letter: `#` is loud, `.` quiet, a blank sends nothing. */
function listen(sound: string): readonly Span[] {
  const watch = new SpeechWatch()
  const heard = [...sound].map((letter, index) => {
    if (letter === ' ') return watch.quiet(index * 20)
    return watch.take(index * 20, letter === '#' ? 25 : 70, 20)
  })
  return [...heard, watch.end()].filter((span) => span !== null)
}

test.each([
  ['a click is no speech', '..##......', []],
  ['two clicks are no speech', '##..##..##', []],
  ['three packets are', '..###.....', [{ fromMs: 40, toMs: 100 }]],
  ['a breath does not end it', `###${'.'.repeat(19)}###`, [{ fromMs: 0, toMs: 500 }]],
  [
    '400 ms of quiet end it',
    `###${'.'.repeat(21)}###`,
    [
      { fromMs: 0, toMs: 60 },
      { fromMs: 480, toMs: 540 },
    ],
  ],
  [
    'so do 400 ms of nothing',
    `###${' '.repeat(21)}###`,
    [
      { fromMs: 0, toMs: 60 },
      { fromMs: 480, toMs: 540 },
    ],
  ],
])('%s', (_, sound, spans) => {
  expect(listen(sound)).toEqual(spans)
})

test('a long speech is told in pieces that touch', () => {
  const spans = listen('#'.repeat(600))
  expect(spans).toEqual([
    { fromMs: 0, toMs: 5_000 },
    { fromMs: 5_000, toMs: 10_000 },
    { fromMs: 10_000, toMs: 12_000 },
  ])
})

test('an unknown level is not loud', () => {
  const watch = new SpeechWatch()
  for (let at = 0; at < 500; at += 20) watch.take(at, NO_LEVEL, 20)
  expect(watch.speaking).toBe(false)
})

test('spans never overlap and never run backwards', () => {
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
