// A loop is noticed; a person who repeats something is not.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { wouldLoop } from './repetition.ts'

/** Says what `choose` wants as long as it is no loop; answers how far it came. */
function sayUntilLoop(phrase: readonly number[], before: readonly number[] = []): readonly number[] {
  const said = [...before]
  for (let at = 0; at < 500; at++) {
    const next = phrase[at % phrase.length] ?? 0
    if (wouldLoop(said, next)) break
    said.push(next)
  }
  return said.slice(before.length)
}

test('any phrase is let through a few times, and never for ever', () => {
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
  ['a word, six times', [7, 7, 7, 7, 7], 7],
  ['a phrase, three times', [1, 2, 3, 4, 1, 2, 3, 4, 1, 2, 3], 4],
  ['counting', [1, 9, 2, 9, 3, 9, 4, 9, 5, 9, 6, 9, 7], 9],
  ['nothing yet', [], 5],
])('%s is no loop', (_, said, next) => {
  expect(wouldLoop(said, next)).toBe(false)
})
