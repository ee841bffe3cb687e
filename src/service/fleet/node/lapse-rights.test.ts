import { expect, test } from 'vitest'
import { LapseRights } from './lapse-rights.ts'

function open() {
  const state = { nowMs: 100_000, reaches: true }
  const rights = new LapseRights({ reachesDatabase: async () => state.reaches, nowMs: () => state.nowMs })
  return { rights, state }
}

test('promises nothing while it reaches the database', async () => {
  const { rights } = open()
  expect([await rights.promisedMs(), rights.mayEnd()]).toEqual([0, true])
})

test('promises two lease times without a database, and ends no lease before they are over', async () => {
  const { rights, state } = open()
  state.reaches = false
  expect([await rights.promisedMs(), rights.mayEnd()]).toEqual([15_000, false])
  state.reaches = true
  state.nowMs += 14_000
  expect([await rights.promisedMs(), rights.mayEnd()]).toEqual([1_000, false])
  state.nowMs += 1_000
  expect([await rights.promisedMs(), rights.mayEnd()]).toEqual([0, true])
})

test('promises nothing while its last look may still end a lease', async () => {
  const { rights, state } = open()
  rights.noteLook()
  state.reaches = false
  state.nowMs += 1_500
  expect(await rights.promisedMs()).toBe(0)
  state.nowMs += 1
  expect(await rights.promisedMs()).toBe(15_000)
})

test('ends no lease for two lease times after its row may have lapsed', () => {
  const { rights, state } = open()
  rights.noteRenewal(state.nowMs)
  state.nowMs += 8_000
  rights.noteRenewal(state.nowMs)
  expect(rights.mayEnd()).toBe(true)
  state.nowMs += 8_001
  rights.noteRenewal(state.nowMs)
  expect(rights.mayEnd()).toBe(false)
  state.nowMs += 15_000
  expect(rights.mayEnd()).toBe(true)
})

test('ends no lease for two lease times after a look that failed', () => {
  const { rights, state } = open()
  rights.noteBreak()
  expect(rights.mayEnd()).toBe(false)
  state.nowMs += 15_000
  expect(rights.mayEnd()).toBe(true)
})
