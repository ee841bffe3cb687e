import { expect, test } from 'vitest'
import { databaseForFile, fleetForFile } from '../../../../test/helpers/service/for-file.ts'
import { nextPeak } from './peak.ts'

const database = databaseForFile()
const fleet = fleetForFile(database)

/** All nodes together let two bots join at once, for five seconds each. */
const ROUNDS = { places: 2, joinMs: 5_000, mostMs: 50_000 }

const clear = () => database.db.updateTable('bots').set({ launch_at: null }).execute()
const createDue = async (count: number, inSeconds: number) => {
  const launchAt = new Date(Date.now() + inSeconds * 1000)
  for (let bot = 0; bot < count; bot++) {
    const id = await fleet.create({ joinAt: new Date(Date.now() + 600_000) })
    await database.db.updateTable('bots').set({ launch_at: launchAt }).where('id', '=', id).execute()
  }
}
/** In whole seconds. */
const peak = async (rounds = ROUNDS) => {
  const found = await nextPeak(database.db, rounds)
  return found && { begins: Math.ceil(found.beginsInMs / 1000), due: Math.ceil(found.dueInMs / 1000) }
}

test('begins as much earlier as the last of the bots needs', async () => {
  await clear()
  await createDue(2, 40)
  expect(await peak()).toBeNull()
  await createDue(4, 40)
  expect(await peak()).toEqual({ begins: 30, due: 40 })
  expect(await peak({ ...ROUNDS, places: 6 })).toBeNull()
})

test('begins by the longest time at most, however many bots are due', async () => {
  await clear()
  await createDue(9, 60)
  expect(await peak({ ...ROUNDS, places: 1, mostMs: 30_000 })).toEqual({ begins: 30, due: 60 })
})

test('counts bots that are due before the others', async () => {
  await clear()
  await createDue(2, 37)
  await createDue(3, 40)
  expect(await peak()).toEqual({ begins: 30, due: 40 })
})

test('does not count bots that are spread over time', async () => {
  await clear()
  for (const seconds of [10, 20, 30, 40]) await createDue(1, seconds)
  expect(await peak()).toMatchObject({ due: 30 })
  expect(await peak({ ...ROUNDS, joinMs: 1_000 })).toMatchObject({ begins: 29 })
})
