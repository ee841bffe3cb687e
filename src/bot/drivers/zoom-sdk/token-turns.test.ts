import { expect, test } from 'vitest'
import { TokenTurns } from './token-turns.ts'

test('tries every token at once, and all of them again while a user may still join', () => {
  const turns = new TokenTurns(['ann', 'ben', 'cy'])
  const tries = [4017, 4014, 4015, 4014].map((code) => [turns.current, turns.nextMs(code)])
  expect(tries).toEqual([
    ['ann', 0],
    ['ben', 0],
    ['cy', 5_000],
    ['ann', 0],
  ])
})

test('gives up after a round in which no token was that of an absent user', () => {
  const turns = new TokenTurns(['ann', 'ben'])
  expect([turns.nextMs(4014), turns.nextMs(4018)]).toEqual([0, null])
})

test.each([4006, 3004])('does not try another token after code %i', (code) => {
  expect(new TokenTurns(['ann', 'ben']).nextMs(code)).toBeNull()
})

test('has no turns without a token', () => {
  const turns = new TokenTurns([])
  expect([turns.current, turns.nextMs(4017)]).toEqual([undefined, null])
})
