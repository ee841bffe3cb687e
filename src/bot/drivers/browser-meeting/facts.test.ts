import { expect, test } from 'vitest'
import { excerpt, factsOf } from './facts.ts'

const quoted = (text: string): string => excerpt(factsOf({ text }, 'https://meet.google.com/abc-defg-hij'))

test.each([
  [
    'You can’t join this video call\nReturning to home screen in 57\nReturn to home screen',
    '“You can’t join this video call / Return to home screen”',
  ],
  ['You can’t join this call. You’ll be returned to the home screen in 59 seconds', '“You can’t join this call.”'],
  ['You left the meeting\nReturning to home screen in\n57\nseconds\nRejoin', '“You left the meeting / Rejoin”'],
  ['The call was ended! Redirecting you in 5 s…', '“The call was ended!”'],
  ['Retrying in 0:30', '“Retrying”'],
])('leaves the countdown out of the quoted text of %j', (text, expected) => {
  expect(quoted(text)).toBe(expected)
})

test.each([
  'This meeting starts in 10 minutes',
  'There are 3 people in this call',
  'Your meeting code has 10 letters. Ask to join in 2 steps',
])('quotes %j whole', (text) => {
  expect(quoted(text)).toBe(`“${text}”`)
})
