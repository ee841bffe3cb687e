import { expect, test } from 'vitest'
import { claimAll, specFor } from '../../../../test/helpers/service/fleet.ts'
import { databaseForFile, fleetForFile } from '../../../../test/helpers/service/for-file.ts'
import type { LossReason } from '../../../domain/absences.ts'
import type { BotId } from '../../../domain/bot.ts'
import type { Trigger } from '../../../domain/lifecycle.ts'
import { listAbsences, listUnwrittenAbsences } from '../../db/fleet/absences.ts'
import { findBot } from '../../db/fleet/bots.ts'
import { loseBot, returnBot } from './lose.ts'
import { transition } from './transition.ts'

const START = Date.parse('2026-11-16T10:00:00Z')
const at = (second: number): Date => new Date(START + second * 1000)

const database = databaseForFile()
const fleet = fleetForFile(database)

/** A bot that has begun to join in second 0, with moves, losses and returns at given seconds. */
async function joining() {
  const bot = (await fleet.create({ spec: specFor('https://teams.microsoft.com/meet/2345678901234?p=abcDEF') })) as BotId
  const fence = async () => (await database.db.selectFrom('bots').select('fence').where('id', '=', bot).executeTakeFirstOrThrow()).fence
  const claim = async () => ({ botId: bot, fence: await fence() })
  const move = async (by: Trigger, second: number) => transition(fleet.deps, { bot, by, fence: await fence(), at: at(second) })
  await claimAll(database.db)
  await move('join_requested', 0)
  return {
    bot,
    move,
    claim,
    lose: async (second: number, reason: LossReason = 'BrowserCrashed') => loseBot(fleet.deps, await claim(), { reason, from: at(second) }),
    async comeBack(second: number) {
      await claimAll(database.db)
      await move('admitted', second)
      await returnBot(fleet.deps, await claim(), at(second))
    },
    read: async () => (await findBot(database.db, fleet.workspaceId, bot)) ?? expect.fail('no such bot'),
    events: async () => (await fleet.eventsOf(bot)).map(({ event, bot_status }) => `${event} ${bot_status}`).slice(3),
  }
}

/** The same in its meeting since second 0. */
async function attending() {
  const bot = await joining()
  await bot.move('admitted', 0)
  return bot
}

test('does not announce the return of a bot that was lost before it first entered', async () => {
  const { bot, lose, comeBack, events, read } = await joining()
  await lose(3)
  await comeBack(8)
  expect((await events()).join()).not.toContain('rejoin')
  expect(await read()).toMatchObject({ status: 'InMeeting', message: 'Bot is in the meeting' })
  expect(await listAbsences(database.db, bot)).toEqual([])
})

test('announces a lost bot, keeps its status while it waits for a seat, and announces its return', async () => {
  const { bot, lose, comeBack, read, events } = await attending()
  await lose(10)
  expect(await read()).toMatchObject({ status: 'InMeeting', message: expect.stringContaining('crashed') })
  expect(await listAbsences(database.db, bot)).toEqual([{ from: at(10), to: null, reason: 'BrowserCrashed' }])
  await comeBack(18)
  expect(await listAbsences(database.db, bot)).toEqual([{ from: at(10), to: at(18), reason: 'BrowserCrashed' }])
  expect(await events()).toEqual(['bot.rejoining Rejoining', 'bot.rejoined InMeeting'])
  const { timeline } = await read()
  expect([timeline.Rejoining?.timestamp, timeline.Rejoined?.timestamp]).toEqual([at(10).toISOString(), at(18).toISOString()])
})

test('announces the return of a bot by a node whose clock is behind', async () => {
  const { lose, comeBack, events } = await attending()
  await lose(1)
  await comeBack(-10)
  expect(await events()).toEqual(['bot.rejoining Rejoining', 'bot.rejoined InMeeting'])
})

test('lists a bot as absent in a read-only database once the lease of the bot or of its node has lapsed', async () => {
  const { bot, lose } = await attending()
  const unwritten = () => listUnwrittenAbsences(database.db, bot, 7.5)
  expect(await unwritten(), 'the lease lasts').toEqual([])
  const lapsedAt = new Date(Date.now() - 1_000)
  await database.db.updateTable('bots').set({ launch_at: lapsedAt }).where('id', '=', bot).execute()
  const absence = { from: new Date(lapsedAt.getTime() - 7_500), to: null, reason: 'DatabaseUnreachable' }
  expect(await unwritten(), 'its own lease has lapsed').toEqual([absence])

  const farAhead = new Date(Date.now() + 600_000)
  const node = { id: 'node_1', address: '', key: '', seats: 1, free_seats: 0, started_at: at(0), alive_until: at(0), holds_until: lapsedAt }
  await database.db.updateTable('bots').set({ launch_at: farAhead }).where('id', '=', bot).execute()
  await database.db.insertInto('nodes').values(node).execute()
  expect(await unwritten(), 'the lease of its node has lapsed').toEqual([absence])
  await lose(10)
  expect(await unwritten(), 'the loss is written').toEqual([])
  await database.db.deleteFrom('nodes').execute()
})

test('does not bill absences', async () => {
  const { bot, move, lose, comeBack } = await attending()
  await lose(10)
  await comeBack(18)
  await lose(40, 'ServerRestarted')
  await move('leaving', 60)
  const usage = await database.db.selectFrom('credit_entries').selectAll().where('bot_id', '=', bot).execute()
  expect(usage).toMatchObject([{ kind: 'usage', bot_seconds: 32 }])
  expect((await listAbsences(database.db, bot)).map(({ to }) => to)).toEqual([at(18), at(60)])
})

test('gives a bot up at the fourth loss within ten minutes, not at the fourth of its meeting', async () => {
  const { lose, comeBack, read } = await attending()
  for (const second of [0, 300, 590, 900, 1_185]) {
    await lose(second)
    await comeBack(second + 5)
  }
  expect((await read()).status).toBe('InMeeting')
  await lose(1_186)
  expect(await read()).toMatchObject({ status: 'Error', errorReason: 'WorkerLost' })
})

test('does not count restarts of the server and crashes of a neighbour against a bot', async () => {
  const { lose, comeBack, read } = await attending()
  for (const [index, reason] of (['ServerRestarted', 'NeighbourCrashed', 'DatabaseUnreachable', 'ServerRestarted'] as const).entries()) {
    await lose(index * 20, reason)
    await comeBack(index * 20 + 5)
  }
  for (const second of [100, 120, 140]) {
    await lose(second)
    await comeBack(second + 5)
  }
  expect((await read()).status).toBe('InMeeting')
})

test('ignores a loss under a claim that another node has taken over', async () => {
  const { bot, claim, lose, comeBack, read } = await attending()
  const stale = await claim()
  await lose(10)
  await comeBack(15)
  await loseBot(fleet.deps, stale, { reason: 'WorkerLost', from: at(20) })
  expect(await listAbsences(database.db, bot)).toHaveLength(1)
  expect((await read()).message).toBe('Bot is back in the meeting')
})

test('does not send a bot back that is lost while it leaves', async () => {
  const { move, lose, read, events } = await attending()
  await move('leaving', 30)
  await lose(31)
  expect((await read()).status).toBe('Stopped')
  expect(await events()).toEqual(['bot.leaving Leaving', 'bot.stopped Stopped'])
})
