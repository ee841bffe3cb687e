// Events on every path through the lifecycle, compared with the specification's tables.
import { readFile } from 'node:fs/promises'
import { describe, expect, test } from 'vitest'
import { EVENT_NAMES } from '../../src/domain/announcements.ts'
import type { BotId } from '../../src/domain/bot.ts'
import { STATUSES, type Status, TRANSITIONS, type Trigger } from '../../src/domain/lifecycle.ts'
import type { Platform } from '../../src/domain/platforms.ts'
import { addStage, transition } from '../../src/service/fleet/bot/transition.ts'
import { INSIDE, PATHS, type Step } from '../helpers/service/event-paths.ts'
import { serviceForFile } from '../helpers/service/for-file.ts'

const service = serviceForFile({ BOT_WORKERS: '0' })

const LINKS: Readonly<Partial<Record<Platform, () => string>>> = {
  google_meet: () => 'https://meet.google.com/abc-defg-hij',
  zoom: () => 'https://us02web.zoom.us/j/81234567890?pwd=secret.1',
  teams: () =>
    'https://teams.microsoft.com/l/meetup-join/19%3ameeting_abc%40thread.v2/0?context=%7b%22Tid%22%3a%22t%22%2c%22Oid%22%3a%22o%22%7d',
  room: () => `${service.url}/room/a-room`,
}

describe('events', () => {
  test.each(PATHS)('announces the events of the specification for $name', async ({ platform, first, body, steps, events: rows, ends }) => {
    const bot = await create(platform, first, body)
    for (const step of steps) await take(bot.bot_id, step)
    const common = {
      bot_id: bot.bot_id,
      message: expect.stringMatching(/\S/),
      custom_attributes: { deal: 7 },
      transcript_id: bot.transcript_id,
    }
    const expected = rows.map(([event, bot_event, bot_status, status_code, extra]) => ({
      ...common,
      event,
      bot_event,
      bot_status,
      timestamp: expect.stringMatching(/Z$/),
      event_id: expect.stringMatching(/^msg_/),
      ...(status_code !== null && { status_code }),
      ...extra,
    }))
    const events = await eventsOf(bot.bot_id)
    expect(events).toEqual(expected)
    for (const { message, bot_status, event } of events) expect(message, event).toMatch(prefixOf(bot_status, event))
    expect((await service.api('GET', `/api/v1/bots/${bot.bot_id}/status`)).body.status).toBe(ends)
    expect(new Set(events.map(({ event_id }) => event_id)).size).toBe(events.length)
  })

  test('covers every row of the lifecycle table and every status', () => {
    const taken = PATHS.flatMap(rowsOf)
    expect(TRANSITIONS.filter((row) => !taken.includes(row))).toEqual([])
    expect(STATUSES.filter((status) => !taken.some(({ to }) => to === status))).toEqual([])
  })

  test('dates a recording that is reported too early by the admission', async () => {
    const { bot_id } = await create('room')
    for (const step of INSIDE) await take(bot_id, step)
    await addStage(deps(), { bot: bot_id, stage: 'Recording', at: new Date(Date.now() - 60_000) })
    const { StatusTimeline } = (await service.api('GET', `/api/v1/bots/${bot_id}/detail`)).body.bot_details
    expect(StatusTimeline.InMeeting.timestamp).toEqual(expect.any(String))
    expect(StatusTimeline.Recording.timestamp).toBe(StatusTimeline.InMeeting.timestamp)
  })

  test('announces nothing again for a repeated report', async () => {
    const { bot_id } = await create('room')
    for (const step of INSIDE) for (let times = 0; times < 3; times++) await take(bot_id, step)
    for (let times = 0; times < 3; times++) await take(bot_id, { stage: 'Recording' })
    expect((await eventsOf(bot_id)).map(({ event }) => event)).toEqual([
      'bot.joining',
      'bot.in_waiting_room',
      'bot.inmeeting',
      'bot.recording',
    ])
  })
})

function rowsOf({ platform, first, steps }: (typeof PATHS)[number]): (typeof TRANSITIONS)[number][] {
  let status: Status | 'new' = 'new'
  const triggers: Trigger[] = [first ?? 'created', ...steps.flatMap((step) => ('by' in step ? [step.by] : []))]
  return triggers.flatMap((on) => {
    const row = TRANSITIONS.find((it) => it.on === on && it.from.includes(status) && (it.only?.includes(platform) ?? true))
    status = row?.to ?? status
    return row ?? []
  })
}

async function create(platform: Platform, first?: 'scheduled', body: object = {}): Promise<{ bot_id: BotId; transcript_id: string }> {
  const join_at = first && new Date(Date.now() + 86_400_000).toISOString()
  const fields = { meeting_link: LINKS[platform]?.(), custom_attributes: { deal: 7 }, join_at, ...body }
  const answer = await service.api('POST', '/api/v1/bots/create_bot', fields)
  expect(answer.status, JSON.stringify(answer.body)).toBe(201)
  return answer.body
}

const deps = () => ({ db: service.db, tariff: { enforced: false, pricePerHour: 1, currency: 'USD' }, onNews: () => undefined })

async function take(bot: BotId, step: Step): Promise<void> {
  if ('stage' in step) await addStage(deps(), { bot, stage: step.stage, at: new Date() })
  else await transition(deps(), { bot, at: new Date(), ...step })
}

/** Read from the event feed. */
async function eventsOf(botId: string): Promise<Record<string, string>[]> {
  const all: Record<string, string>[] = []
  for (let cursor = ''; ; ) {
    const { body } = await service.api('GET', `/api/v1/events?limit=100${cursor && `&cursor=${cursor}`}`)
    all.push(...body.events)
    if (!body.hasNextPage) return all.filter(({ bot_id }) => bot_id === botId)
    cursor = body.nextCursor
  }
}

function prefixOf(status = '', event = ''): RegExp {
  const prefix = status === 'Error' ? 'Error' : ['NotAllowed', 'Denied', 'Failed'].includes(status) ? 'Failed' : null
  return prefix && event !== 'data_deletion' ? new RegExp(`^${prefix}: (?!Error: |Failed: )`) : /^(?!Error: |Failed: )/
}

test('finds every event in docs/webhooks.md', async () => {
  const page = await readFile(new URL('../../docs/webhooks.md', import.meta.url), 'utf8')
  expect(EVENT_NAMES.filter((name) => !page.includes(`\`${name}\``))).toEqual([])
})
