// Names as people give them, and what of them is drawn.
import { expect, test } from 'vitest'
import { drawnName, fontFor, initialsOf } from './names.ts'

test.each([
  ['Ann Archer', 'AA'],
  ['Dan van der Berg', 'DB'],
  ['eve', 'E'],
  ["  Bob 😀 O'Neill ", 'BN'],
  ['Дмитрий Иванов', 'ДИ'],
  ['👩‍💻', ''],
  ['', ''],
])('the initials of "%s" are "%s"', (name, initials) => {
  expect(initialsOf(name)).toBe(initials)
})

test('a name is drawn without what no font of outlines has, and without tricks', () => {
  expect(drawnName('Zoë 🎉\n\u202eevil\u0007 %{pts}', 1_000, 20)).toBe('Zoë evil %{pts}')
})

test('a name that is too long for its tile ends in an ellipsis', () => {
  expect(drawnName('Farid al-Rashid (Product, EMEA)', 200, 20)).toBe('Farid al-Rashid…')
})

test('a font is found for letters that one has, and none for letters that none has', async () => {
  expect(await fontFor('Ann Ünlü…', undefined)).toMatch(/^\/.+/)
  expect(await fontFor('\u{10fffd}', undefined)).toBeNull()
})
