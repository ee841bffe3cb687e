import { expect, test } from 'vitest'
import { keySentences } from './summary-extract.ts'

const turn = (speaker: string, text: string) => ({ speaker, text, start: 0, end: 1 })

const MEETING = [
  turn('Anna', 'Good morning everyone. Can you all hear me well?'),
  turn('Ben', 'Yes. I watched a nice film about penguins yesterday evening.'),
  turn('Anna', 'The release of the payment service must wait until the database migration is finished.'),
  turn('Ben', 'The database migration needs two more days, because the payment tables are large.'),
  turn('Cleo', 'Okay.'),
  turn('Cleo', 'Then the release of the payment service moves to Friday, after the migration.'),
]

test('keeps the sentences about the main subject in order and with their speakers', () => {
  const kept = keySentences(MEETING)
  expect(kept.map(({ speaker }) => speaker).join(' ')).toContain('Anna Ben Cleo')
  expect(kept.map(({ text }) => text)).toEqual(expect.arrayContaining([MEETING[2]?.text, MEETING[3]?.text, MEETING[5]?.text]))
  const places = kept.map(({ text }) => MEETING.findIndex((one) => one.text.includes(text)))
  expect(places).toEqual(places.toSorted((a, b) => a - b))
})

test('keeps only a few of many sentences and leaves out asides', () => {
  const long = Array.from({ length: 40 }, (_, index) => turn('Anna', `The budget for project number${index} is approved by the board.`))
  const kept = keySentences([...MEETING, ...long])
  expect(kept.length).toBeLessThanOrEqual(7)
  expect(kept.map(({ text }) => text).join(' ')).not.toContain('penguins')
})

test('keeps a repeated sentence once', () => {
  const again = [
    turn('Anna', 'The migration of the database starts on Monday.'),
    turn('Ben', 'So the migration of the database starts on Monday.'),
  ]
  expect(keySentences(again)).toHaveLength(1)
})

test('returns the same summary for the same transcript and none for an empty one', () => {
  expect(keySentences(MEETING)).toEqual(keySentences(MEETING))
  expect(keySentences([])).toEqual([])
  expect(keySentences([turn('Anna', 'Yes. Okay. No.')])).toEqual([])
})

test('summarises a long meeting quickly', () => {
  const words = Array.from({ length: 500 }, (_, index) => `word${index}`)
  const long = Array.from({ length: 8_000 }, (_, index) =>
    turn('Anna', `${words[index % 500]} ${words[(index * 7) % 500]} means the ${words[(index * 3) % 500]}.`),
  )
  const startedAt = performance.now()
  expect(keySentences(long)).toHaveLength(7)
  expect(performance.now() - startedAt).toBeLessThan(3_000)
})
