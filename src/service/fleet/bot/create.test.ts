import { expect, test } from 'vitest'
import { addTeamsLogins, createTestFleet, specFor } from '../../../../test/helpers/service/fleet.ts'
import { databaseForFile } from '../../../../test/helpers/service/for-file.ts'
import { grantCredits } from '../../accounts/credits.ts'
import { attributeTerms } from '../../db/fleet/attribute-terms.ts'
import { createBot } from './create.ts'

const TEAMS = 'https://teams.microsoft.com/meet/2345678901234?p=abcDEF'
const PAID = { enforced: true, pricePerHour: 0.36, currency: 'USD' }

const database = databaseForFile()

test('gives the last free login to one of eight simultaneous bots', async () => {
  const fleet = await createTestFleet(database.db)
  await addTeamsLogins(database.db, fleet.workspaceId, 'race.example', ['a@race.example', 'b@race.example'])
  const spec = specFor(TEAMS, { signIn: { platform: 'teams', domain: 'race.example', email: null, strict: false, required: null } })
  const outcomes = await Promise.allSettled(Array.from({ length: 8 }, () => createBot(fleet.deps, fleet.request({ spec }), new Date())))
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(2)
  for (const outcome of outcomes)
    if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ code: 'no_free_login', http: 429 })
})

test('writes no event and no search term for a bot that is refused', async () => {
  const fleet = await createTestFleet(database.db)
  const change = { idempotencyKey: 'once', customAttributes: { tag: 'once' } }
  const first = await fleet.create(change)
  const again = await createBot(fleet.deps, fleet.request({ ...change, customAttributes: { tag: 'twice' } }), new Date())
  expect([again.kind, again.bot.id]).toEqual(['replayed', first])
  expect(await fleet.eventsOf(first)).toMatchObject([{ event: 'bot.joining', bot_id: first, event_id: expect.stringMatching(/^msg_/) }])
  const events = await database.db.selectFrom('events').select('bot_id').where('workspace_id', '=', fleet.workspaceId).execute()
  expect(events).toEqual([{ bot_id: first }])
  const terms = await database.db
    .selectFrom('bot_terms')
    .select('bot_id')
    .where('term', 'in', attributeTerms(fleet.workspaceId, { tag: 'twice' }))
    .execute()
  expect(terms).toEqual([])
})

test('announces a scheduled bot with its join time', async () => {
  const fleet = await createTestFleet(database.db)
  const joinAt = new Date('2026-12-24T17:00:00Z')
  const id = await fleet.create({ joinAt, customAttributes: { a: 1 } })
  expect(await fleet.eventsOf(id)).toEqual([
    {
      event: 'bot.scheduled',
      bot_event: 'bot.scheduled',
      bot_status: 'Scheduled',
      bot_id: id,
      message: 'Bot scheduled',
      status_code: 200,
      scheduled_join_time: '2026-12-24T17:00:00.000Z',
      custom_attributes: { a: 1 },
      transcript_id: expect.stringMatching(/^trn_/),
      timestamp: expect.any(String),
      event_id: expect.any(String),
    },
  ])
})

test('requires credits for half an hour to start, and one more unit while another bot runs', async () => {
  const fleet = await createTestFleet(database.db, { tariff: PAID })
  const grant = (amount: number) => grantCredits(database.db, fleet.workspaceId, amount, new Date())
  const create = () => createBot(fleet.deps, fleet.request(), new Date())
  await expect(create()).rejects.toMatchObject({
    http: 403,
    extra: { error: expect.any(String), available_credits: 0, minimum_required: 0.18 },
  })
  await grant(0.17)
  await expect(create()).rejects.toMatchObject({ code: 'low_credits' })
  await grant(0.01)
  expect((await create()).kind).toBe('created')
  await expect(create()).rejects.toMatchObject({ http: 403, extra: { error: expect.any(String), active_bots: 1 } })
  await grant(1)
  expect((await create()).kind).toBe('created')
})

test('creates one of many simultaneous bots when the credits cover one', async () => {
  const fleet = await createTestFleet(database.db, { tariff: PAID })
  await grantCredits(database.db, fleet.workspaceId, 0.5, new Date())
  const outcomes = await Promise.allSettled(Array.from({ length: 8 }, () => createBot(fleet.deps, fleet.request(), new Date())))
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
})
