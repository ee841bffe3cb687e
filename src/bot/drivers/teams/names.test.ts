import { expect, test } from 'vitest'
import { bareName } from '../browser-meeting/page/bare-name.ts'
import { PEOPLE } from './selectors.ts'

test.each([
  ['Ann Lee', 'Ann Lee'],
  ['Ann LeeExternal unfamiliarUnverified, muted', 'Ann Lee'],
  ['Ann Lee, External, unmuted', 'Ann Lee'],
  ['Ann Lee (Unverified)', 'Ann Lee'],
  ['Ann Lee (they/them)', 'Ann Lee (they/them)'],
  ['External', 'External'],
  ['External, muted', 'External'],
  ['Bo Unmuted External', 'Bo Unmuted'],
])('takes the badges off %j', (label, name) => {
  expect(bareName(label, PEOPLE)).toBe(name)
})

test('leaves the labels of a platform without badges as they are', () => {
  expect(bareName('spaces/x/devices/1 ', {})).toBe('spaces/x/devices/1 ')
})
