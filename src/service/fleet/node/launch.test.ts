import { describe, expect, test } from 'vitest'
import { addTeamsLogins, claimAll, createTestFleet, processDue, specFor } from '../../../../test/helpers/service/fleet.ts'
import { databaseForFile } from '../../../../test/helpers/service/for-file.ts'
import { type MeetingLink, parseMeetingLink } from '../../../domain/meeting-link.ts'
import { grantCredits } from '../../accounts/credits.ts'
import { createVault } from '../../accounts/secrets.ts'
import { deleteDomain } from '../../db/accounts/logins.ts'
import { findBot } from '../../db/fleet/bots.ts'
import { launch } from './launch.ts'

/** A platform without a driver. */
const NO_DRIVER = specFor('https://call.whatsapp.com/video/AbCdEfGhIjKlMnOpQrStUv')
const TEAMS = 'https://teams.microsoft.com/meet/2345678901234?p=abcDEF'
const MINUTE_MS = 60_000
const ACCOUNTS = {
  vault: createVault('x'),
  publicUrl: () => 'https://bots.example',
  zoom: { way: 'sdk', app: null, obstacle: null },
  zoomObstacle: 'it is not installed',
} as const

const database = databaseForFile()

/** A fleet with a settable clock, and a function that launches all due bots. */
async function bench(tariff?: { enforced: boolean; pricePerHour: number; currency: string }) {
  let now = new Date()
  const placed: string[] = []
  const fleet = await createTestFleet(database.db, { now: () => now, ...(tariff && { tariff }) })
  return {
    fleet,
    placed,
    later: (ms: number) => {
      now = new Date(now.getTime() + ms)
    },
    soon: () => new Date(now.getTime() + 5_000),
    async launchDue() {
      const due = await claimAll(database.db)
      for (const bot of due)
        if (bot.workspaceId === fleet.workspaceId)
          await launch({ ...fleet.deps, ...ACCOUNTS, place: ({ id }) => void placed.push(id) }, bot)
    },
    read: async (id: string) => {
      const bot = await findBot(database.db, fleet.workspaceId, id)
      if (!bot) throw new Error('no such bot')
      return bot
    },
  }
}

describe('a platform without a driver', () => {
  test('ends as Failed with a reason and evidence, and without a charge', async () => {
    const { fleet, launchDue, read, placed } = await bench()
    const id = await fleet.create({ spec: NO_DRIVER })
    await launchDue()
    const bot = await read(id)
    expect(bot).toMatchObject({
      status: 'Failed',
      errorReason: 'PlatformUnavailable',
      message: 'Failed: The link is valid, but joining is not available on this server: no public way to join a WhatsApp call is known',
    })
    expect(bot.evidence).toMatchObject([{ step: 'launch', message: expect.stringContaining('no public way to join') }])
    expect((await fleet.eventsOf(id)).map(({ event, bot_status }) => `${event} ${bot_status}`)).toEqual([
      'bot.joining Joining',
      'bot.stopped Failed',
      'bot.done Failed',
    ])
    expect(placed).toEqual([])
    expect(await database.db.selectFrom('credit_entries').select('id').where('bot_id', '=', id).execute()).toEqual([])
  })

  test('names the problem of a link that cannot be joined', async () => {
    const { fleet, launchDue, read } = await bench()
    const id = await fleet.create({ spec: specFor('https://zoom.us/my/somebody') })
    await launchDue()
    expect(await read(id)).toMatchObject({
      errorReason: 'InvalidMeetingLink',
      timeline: { Error: { message: expect.stringMatching(/^Error: Invalid meeting link format: /) } },
    })
  })

  test('ends as Done on platforms A and C, with the outcome in timeline and reason', async () => {
    const { fleet, launchDue, read } = await bench()
    const id = await fleet.create({ spec: specFor('https://zoom.us/j/81234567890') })
    await launchDue()
    await processDue(fleet.deps)
    const bot = await read(id)
    expect(bot).toMatchObject({ status: 'Done', errorReason: 'PlatformUnavailable' })
    expect(Object.keys(bot.timeline).sort()).toEqual(['Done', 'Error', 'Joining', 'MediaProcessing'])
    expect((await fleet.eventsOf(id)).map(({ event, bot_status }) => `${event} ${bot_status}`)).toEqual([
      'bot.joining Joining',
      'bot.stopped Error',
      'bot.mediaprocessing MediaProcessing',
      'bot.done Done',
    ])
  })
})

test('seats a bot whose platform has a driver', async () => {
  const { fleet, launchDue, placed, read } = await bench()
  const room = parseMeetingLink('http://127.0.0.1:4000/room/x', { roomBase: 'http://127.0.0.1:4000' })
  const spec = { ...specFor('https://meet.google.com/abc-defg-hij'), meeting: room as MeetingLink }
  const id = await fleet.create({ spec })
  await launchDue()
  expect([placed, (await read(id)).status]).toEqual([[id], 'Joining'])
})

describe('a scheduled bot', () => {
  test('starts shortly before its join time, not earlier', async () => {
    const { fleet, launchDue, read, soon } = await bench()
    const early = await fleet.create({ spec: NO_DRIVER, joinAt: new Date(Date.now() + 10 * MINUTE_MS) })
    const due = await fleet.create({ spec: NO_DRIVER, joinAt: soon() })
    await launchDue()
    expect((await read(early)).status).toBe('Scheduled')
    expect(Object.keys((await read(due)).timeline).sort()).toEqual(['Failed', 'Joining', 'Scheduled'])
    expect((await fleet.eventsOf(due)).map(({ event }) => event)).toEqual(['bot.scheduled', 'bot.joining', 'bot.stopped', 'bot.done'])
  })

  test('ends when it could not be started within 20 minutes', async () => {
    const { fleet, launchDue, read, soon, later } = await bench()
    const id = await fleet.create({ joinAt: soon() })
    later(21 * MINUTE_MS)
    await launchDue()
    expect(await read(id)).toMatchObject({ status: 'Error', errorReason: 'ScheduledDispatchExhausted' })
    expect((await fleet.eventsOf(id)).map(({ event }) => event)).toEqual(['bot.scheduled', 'bot.stopped', 'bot.done'])
  })

  test('is rejected by bot.error without a status code when its login was deleted', async () => {
    const { fleet, launchDue, read, soon } = await bench()
    const { workspaceId } = fleet
    await addTeamsLogins(database.db, workspaceId, 'gone.example', ['a@gone.example'])
    const spec = specFor(TEAMS, { signIn: { platform: 'teams', domain: 'gone.example', email: null, strict: false, required: null } })
    const id = await fleet.create({ spec, joinAt: soon() })
    await deleteDomain(database.db, { workspaceId, platform: 'teams', domain: 'gone.example' })
    await launchDue()
    expect(await read(id)).toMatchObject({
      status: 'Error',
      errorReason: 'ScheduledDispatchRejected',
      message: expect.stringContaining('gone.example'),
    })
    const events = await fleet.eventsOf(id)
    expect(events.map(({ event }) => event)).toEqual(['bot.scheduled', 'bot.error', 'bot.done'])
    expect(events[1]).not.toHaveProperty('status_code')
  })

  test('is rejected when the credits are used up', async () => {
    const { fleet, launchDue, read, soon } = await bench({ enforced: true, pricePerHour: 0.36, currency: 'USD' })
    await grantCredits(database.db, fleet.workspaceId, 5, new Date())
    const id = await fleet.create({ joinAt: soon() })
    await grantCredits(database.db, fleet.workspaceId, -5, new Date())
    await launchDue()
    expect(await read(id)).toMatchObject({
      status: 'Error',
      errorReason: 'InsufficientCredits',
      message: expect.stringMatching(/low credits/i),
    })
    expect((await fleet.eventsOf(id)).map(({ event }) => event)).toEqual(['bot.scheduled', 'bot.error', 'bot.done'])
  })

  test('takes its login when it starts', async () => {
    const { fleet, launchDue, read, soon } = await bench()
    await addTeamsLogins(database.db, fleet.workspaceId, 'start.example', ['a@start.example'])
    const spec = specFor(TEAMS, { signIn: { platform: 'teams', domain: 'start.example', email: null, strict: false, required: null } })
    const id = await fleet.create({ spec, joinAt: soon() })
    expect((await read(id)).loginId).toBeNull()
    await launchDue()
    expect((await read(id)).loginId).toMatch(/^lgn_/)
  })
})
