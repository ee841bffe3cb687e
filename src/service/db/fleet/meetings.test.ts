import { expect, test } from 'vitest'
import { databaseForFile, fleetForFile } from '../../../../test/helpers/service/for-file.ts'
import type { BotId } from '../../../domain/bot.ts'
import type { Participant } from '../../../domain/meeting.ts'
import { inTransaction } from '../database.ts'
import { findLinkedBot } from './bots.ts'
import { closeRoster, eraseMeeting, insertChat, listChat, listParticipants, writeRoster } from './meetings.ts'
import { listParticipantEvents } from './participant-events.ts'
import { insertScreenshot, listScreenshots } from './screenshots.ts'

const database = databaseForFile()
const fleet = fleetForFile(database)

const START = Date.parse('2026-11-15T09:30:00Z')
const person = (id: string, change: Partial<Participant> = {}): Participant => ({
  id,
  name: id,
  isHost: false,
  microphoneOn: false,
  cameraOn: false,
  ...change,
})
const [ada, ben] = [person('ada', { isHost: true }), person('ben')]

const newBot = async () => (await fleet.create()) as BotId
const look = (bot: BotId, second: number, others: readonly Participant[], removed: readonly string[] = []) =>
  inTransaction(database.db, (tx) =>
    writeRoster(tx, { botId: bot, fence: 0 }, { others, spokenMs: {}, at: START + second * 1000, removed }),
  )
const recorded = async (bot: BotId) =>
  (await listParticipantEvents(database.db, bot)).map(
    ({ action, participant, at }) => `${(at.getTime() - START) / 1000} ${action} ${participant.id}`,
  )

test('records a join for each participant present when the bot enters, and then each change once', async () => {
  const bot = await newBot()
  await look(bot, 0, [ada, ben])
  await look(bot, 1, [ada, ben])
  await look(bot, 2, [ada, person('ben', { microphoneOn: true })])
  await look(bot, 3, [person('ben', { microphoneOn: true }), person('cleo')])
  await look(bot, 4, [ada])
  expect(await recorded(bot)).toEqual([
    ...['0 join ada', '0 join ben', '2 update ben', '3 leave ada', '3 join cleo'],
    ...['4 leave ben', '4 leave cleo', '4 join ada'],
  ])
  const events = await listParticipantEvents(database.db, bot)
  expect(events[2]).toEqual({ action: 'update', at: new Date(START + 2000), participant: person('ben', { microphoneOn: true }) })
})

test('records no leave when the bot leaves, and no join of those who stayed when it returns', async () => {
  const bot = await newBot()
  await look(bot, 0, [ada, ben])
  await closeRoster(database.db, bot, new Date(START + 5000))
  expect(await recorded(bot)).toEqual(['0 join ada', '0 join ben'])
  const seen = { leftAt: null, updatedAt: new Date(START + 5000) }
  expect(await listParticipants(database.db, bot)).toMatchObject([seen, seen])

  await look(bot, 9, [person('ben', { cameraOn: true }), person('cleo')])
  expect((await recorded(bot)).slice(2)).toEqual(['9 leave ada', '9 update ben', '9 join cleo'])
})

test('writes an event once when it is reported twice at the same time', async () => {
  const bot = await newBot()
  await Promise.all(Array.from({ length: 8 }, () => look(bot, 0, [ada, ben])))
  expect(await recorded(bot)).toEqual(['0 join ada', '0 join ben'])
})

test('rolls the roster back when its event cannot be written', async () => {
  const bot = await newBot()
  await look(bot, 0, [ada])
  await expect(look(bot, 1, [ada, ben, person('a\0b')])).rejects.toThrow()
  expect(await recorded(bot)).toEqual(['0 join ada'])
  expect(await listParticipants(database.db, bot)).toHaveLength(1)
})

test('marks a participant whom the host removed until they return', async () => {
  const bot = await newBot()
  const removed = async () => Object.fromEntries((await listParticipants(database.db, bot)).map((it) => [it.id, it.removed]))
  await look(bot, 0, [ada, ben], ['ada'])
  expect(await removed()).toEqual({ ada: false, ben: false })
  await look(bot, 1, [], ['ben'])
  expect(await removed()).toEqual({ ada: false, ben: true })
  await look(bot, 2, [ben])
  expect(await removed()).toEqual({ ada: false, ben: false })
})

test('erases the data of one meeting only, and raises its deletion epoch', async () => {
  const [bot, other] = [await newBot(), await newBot()]
  for (const it of [bot, other]) {
    await look(it, 0, [ada, ben])
    await insertChat(database.db, it, { from: 'ada', name: 'Ada', text: 'Hello', at: START })
    expect(await insertScreenshot(database.db, { botId: it, fence: 0 }, { at: new Date(START), key: `bots/${it}/x.jpg` })).toBe(true)
  }
  expect(await inTransaction(database.db, (tx) => eraseMeeting(tx, bot))).toBe(3)
  const left = async (it: BotId) => {
    const lists = [listParticipants, listChat, listScreenshots, listParticipantEvents]
    return Promise.all(lists.map(async (list) => (await list(database.db, it)).length))
  }
  expect(await left(bot)).toEqual([0, 0, 0, 0])
  expect(await left(other)).toEqual([2, 1, 1, 2])
  expect((await findLinkedBot(database.db, bot))?.deletionEpoch).toBe(1)
  expect((await findLinkedBot(database.db, other))?.deletionEpoch).toBe(0)
})
