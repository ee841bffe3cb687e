import { expect, test } from 'vitest'
import { drawnName, fontFor, initialsOf } from './name-labels.ts'

test.each([
  ['Ann Archer', 'AA'],
  ['Dan van der Berg', 'DB'],
  ['eve', 'E'],
  ["  Bob 😀 O'Neill ", 'BN'],
  ['Дмитрий Иванов', 'ДИ'],
  ['👩‍💻', ''],
  ['', ''],
])('shortens the name "%s" to the initials "%s"', (name, initials) => {
  expect(initialsOf(name)).toBe(initials)
})

test('removes emoji, control characters and direction marks from a drawn name', () => {
  expect(drawnName('Zoë 🎉\n\u202eevil\u0007 %{pts}', 1_000, 20)).toBe('Zoë evil %{pts}')
})

test('ends a name that is too long for its tile with an ellipsis', () => {
  expect(drawnName('Farid al-Rashid (Product, EMEA)', 200, 20)).toBe('Farid al-Rashid…')
})

test('finds a font that has the letters, and none for letters that no font has', async () => {
  expect(await fontFor('Ann Ünlü…', undefined)).toMatch(/^\/.+/)
  expect(await fontFor('\u{10fffd}', undefined)).toBeNull()
})
