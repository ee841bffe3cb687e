// The addresses of Microsoft Teams' client, and the language codes of its captions.
import { expect, test } from 'vitest'
import { teams } from './client.ts'

test.each([
  ['de', 'de-de'],
  ['en', 'en-us'],
  ['en-GB', 'en-gb'],
  ['ar', 'ar-sa'],
  ['ca', 'ca-es'],
  ['fa', 'fa-ir'],
])('asks for captions in %s by the code %s', (language, code) => {
  expect(teams.captions?.begin(language)).toContain(`setClosedCaptionsLanguage("${code}")`)
})

test.each([
  ['https://teams.microsoft.com/meet/2345678901234?p=aB', 'https://teams.microsoft.com/meet/2345678901234?p=aB#token=a.b'],
  [
    'https://teams.microsoft.com/v2/?meetingjoin=true#/meet/2?p=aB',
    'https://teams.microsoft.com/v2/?meetingjoin=true#/meet/2?p=aB&token=a.b',
  ],
])('adds the token of a registered bot to %s', (address, identified) => {
  expect(teams.identified?.(new URL(address), 'a.b').href).toBe(identified)
})
