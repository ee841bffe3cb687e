import fc from 'fast-check'
import { expect, test } from 'vitest'
import { wouldLoop } from './repetition.ts'

/** Adds the tokens that `choose` returns until the next one would loop. Returns their number. */
function sayUntilLoop(phrase: readonly number[], before: readonly number[] = []): readonly number[] {
  const said = [...before]
  for (let at = 0; at < 500; at++) {
    const next = phrase[at % phrase.length] ?? 0
    if (wouldLoop(said, next)) break
    said.push(next)
  }
  return said.slice(before.length)
}

test('stops a repeated phrase of any length after a few times', () => {
  const phrase = fc.uniqueArray(fc.integer({ min: 3, max: 30_000 }), { minLength: 1, maxLength: 24 })
  fc.assert(
    fc.property(phrase, fc.array(fc.integer({ min: 40_000, max: 50_000 })), (words, before) => {
      const times = sayUntilLoop(words, before).length / words.length
      expect(times).toBeGreaterThan(3)
      expect(times).toBeLessThan(12)
    }),
  )
})

test.each([
  ['a word that occurs six times', [7, 7, 7, 7, 7], 7],
  ['a phrase that occurs three times', [1, 2, 3, 4, 1, 2, 3, 4, 1, 2, 3], 4],
  ['counting', [1, 9, 2, 9, 3, 9, 4, 9, 5, 9, 6, 9, 7], 9],
  ['an empty text', [], 5],
])('does not treat %s as a loop', (_, said, next) => {
  expect(wouldLoop(said, next)).toBe(false)
})
