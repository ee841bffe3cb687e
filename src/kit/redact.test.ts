// Redaction of links, addresses and secrets from log texts.
import { expect, test } from 'vitest'
import { redacted } from './redact.ts'

test.each([
  ['page.goto: net::ERR_FAILED at https://meet.google.com/abc-defg-hij?pwd=1', 'page.goto: net::ERR_FAILED at <link>'],
  ['the call abc-defg-hij is over', 'the call <meeting> is over'],
  ['signed in as ada.lovelace@example.com (twice)', 'signed in as <address> (twice)'],
  ['Token em_0123456789abcdefghijklmnop is not known', 'Token <secret> is not known'],
  ['wss://a:b@host/x?token=1, then "ws://b"', '<link> then "<link>"'],
])('redacts %j', (text, expected) => {
  expect(redacted(text)).toBe(expected)
})

test('keeps the lines of a stack trace', () => {
  const stack =
    'Error: The page returned no screenshot\n    at shoot (file:///srv/emissary/src/bot/screenshots.ts:66:24)\n    at async take (node:internal/x:1:2)'
  expect(redacted(stack)).toBe('Error: The page returned no screenshot\n    at shoot (<link>)\n    at async take (node:internal/x:1:2)')
})
