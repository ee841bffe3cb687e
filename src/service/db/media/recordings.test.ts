import { beforeEach, expect, test } from 'vitest'
import { createTestFleet, specFor, type TestFleet } from '../../../../test/helpers/service/fleet.ts'
import { databaseForFile, fleetForFile } from '../../../../test/helpers/service/for-file.ts'
import type { BotId, BotSpec } from '../../../domain/bot.ts'
import { renewNode } from '../fleet/nodes.ts'
import { claimRecording, waitForRecording } from './recordings.ts'

const database = databaseForFile()
const fleet = fleetForFile(database)

beforeEach(async () => {
  await database.db.updateTable('bots').set({ process_at: null }).execute()
})

const NODE = {
  address: 'http://one',
  key: 'key',
  seats: 4,
  freeSeats: 3,
  freedSeats: 0,
  outageSeconds: 0,
  startedAt: new Date(),
  version: '1',
  draining: false,
}
const LATER = new Date('2999-01-01T00:00:00Z')

/** True: this node has made the recording due. */
async function makesDue(nodeId: string, recordedBy: string | null): Promise<boolean> {
  const id = (await fleet.create()) as BotId
  const bots = database.db.updateTable('bots').set({ process_at: LATER, recorded_by: recordedBy })
  await bots.where('id', '=', id).execute()
  await waitForRecording(database.db, id, { seconds: 0, nodeId })
  const { process_at } = await database.db.selectFrom('bots').select('process_at').where('id', '=', id).executeTakeFirstOrThrow()
  return process_at?.getTime() !== LATER.getTime()
}

test('lets only the node that held the bot last make its recording due, unless that node is gone', async () => {
  for (const [id, seconds] of [
    ['node_own', 60],
    ['node_other', 60],
    ['node_dead', -60],
  ] as const)
    await renewNode(database.db, { ...NODE, id, roles: ['fleet'] }, seconds)
  expect(await makesDue('node_own', 'node_own')).toBe(true)
  expect(await makesDue('node_own', 'node_other')).toBe(false)
  expect(await makesDue('node_own', 'node_dead')).toBe(true)
  expect(await makesDue('node_own', 'node_unknown')).toBe(true)
  expect(await makesDue('node_own', null)).toBe(true)
})

const MINUTE_MS = 60_000

type Ended = { readonly minutes: number; readonly agoMinutes?: number; readonly fields?: Partial<BotSpec>; readonly of?: TestFleet }

/** A recording that is due: of a meeting of so many minutes, which ended so many minutes ago. */
async function dueRecording({ minutes, agoMinutes = 0, fields, of = fleet }: Ended): Promise<BotId> {
  const id = (await of.create({ spec: specFor('https://meet.google.com/abc-defg-hij', fields) })) as BotId
  const ended = Date.now() - agoMinutes * MINUTE_MS
  const columns = { process_at: new Date(0), ended_at: new Date(ended), in_meeting_at: new Date(ended - minutes * MINUTE_MS) }
  await database.db.updateTable('bots').set(columns).where('id', '=', id).execute()
  return id
}

/** Their ids, in the order in which they are claimed. */
async function claimed(mostSeconds: number | null = null): Promise<readonly BotId[]> {
  const bot = await claimRecording(database.db, { leaseSeconds: 60, mostSeconds })
  return bot ? [bot.id, ...(await claimed(mostSeconds))] : []
}

const AUDIO = { video: false }

test('claims recordings of workspaces in turn', async () => {
  const other = await createTestFleet(database.db)
  const [first, second, third] = [
    await dueRecording({ minutes: 10, agoMinutes: 9 }),
    await dueRecording({ minutes: 10, agoMinutes: 8 }),
    await dueRecording({ minutes: 10, agoMinutes: 7 }),
  ]
  const [fourth, fifth] = [await dueRecording({ minutes: 10, of: other, agoMinutes: 2 }), await dueRecording({ minutes: 10, of: other })]
  const ids = await claimed()
  expect(ids.filter((id) => [first, second, third].includes(id))).toEqual([first, second, third])
  expect(ids.slice(0, 4).filter((id) => [fourth, fifth].includes(id))).toEqual([fourth, fifth])
  expect(ids).toHaveLength(5)
})

test('claims short recordings of a workspace before long ones', async () => {
  const long = await dueRecording({ minutes: 60, agoMinutes: 3 })
  const audio = await dueRecording({ minutes: 60, agoMinutes: 2, fields: AUDIO })
  const short = await dueRecording({ minutes: 1, agoMinutes: 1 })
  expect(await claimed()).toEqual([short, audio, long])
})

test('claims a long recording before short ones that ended much later', async () => {
  const short = await dueRecording({ minutes: 1, agoMinutes: 1, fields: AUDIO })
  const long = await dueRecording({ minutes: 60, agoMinutes: 6 * 60 })
  expect(await claimed()).toEqual([long, short])
})

test('claims only recordings within the limit of work', async () => {
  const long = await dueRecording({ minutes: 60, agoMinutes: 60 })
  const audio = await dueRecording({ minutes: 1, fields: AUDIO })
  expect(await claimed(240)).toEqual([audio])
  expect(await claimed()).toEqual([long])
})
