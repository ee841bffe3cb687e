import { expect, test } from 'vitest'
import { absentMs, isLostTooOften } from './absences.ts'

const at = (second: number): Date => new Date(second * 1000)

test('counts only the part of an absence during the meeting', () => {
  const absences = [
    { from: at(5), to: at(15) },
    { from: at(20), to: at(25) },
    { from: at(38), to: null },
  ]
  expect(absentMs(absences, at(10), at(40))).toBe(12_000)
  expect(absentMs([], at(10), at(40))).toBe(0)
})

test('gives up at the fourth counted loss, or the eleventh of any kind', () => {
  expect(isLostTooOften({ counted: 3, all: 10 })).toBe(false)
  expect(isLostTooOften({ counted: 4, all: 4 })).toBe(true)
  expect(isLostTooOften({ counted: 0, all: 11 })).toBe(true)
})
