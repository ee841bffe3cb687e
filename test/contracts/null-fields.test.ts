// null for an optional field means that the field is absent, in every request body and at any depth.
import { describe, expect, test } from 'vitest'
import { operationsOf, readDescription, type Schema } from '../helpers/requests/openapi.ts'
import { botInMeeting } from '../helpers/service/bot-in-meeting.ts'
import { serviceForFile } from '../helpers/service/for-file.ts'
import type { Answer } from '../helpers/service/service.ts'

const MEET = 'https://meet.google.com/abc-defg-hij'
const TOMORROW = new Date(Date.now() + 24 * 60 * 60_000).toISOString()

const service = serviceForFile()

const create = (fields: object): Promise<Answer> =>
  service.api('POST', '/api/v1/bots/create_bot', { meeting_link: MEET, join_at: TOMORROW, ...fields })

describe('create_bot', () => {
  test('accepts null for every optional field', async () => {
    const operation = operationsOf(await readDescription(service.api)).find(({ operationId }) => operationId === 'createBot')
    const { properties = {}, required = [] } = operation?.body ?? ({} as Schema)
    const optional = Object.keys(properties).filter((name) => !required.includes(name))
    expect(optional.length).toBeGreaterThan(15)
    const fields = Object.fromEntries(optional.map((name) => [name, null]))
    const { status, body } = await service.api('POST', '/api/v1/bots/create_bot', { ...fields, meeting_link: MEET })
    expect(status, JSON.stringify(body)).toBe(201)
  })

  test.each<object>([
    { automatic_leave: { waiting_room_timeout: null, bot_detection: { using_participant_names: null } } },
    { automatic_leave: { bot_detection: { using_participant_names: { matches: ['bot'], activate_after: null, timeout: null } } } },
    { recording_config: { transcript: { provider: null }, video_layout: null, retention: null, realtime_endpoints: null } },
    { recording_config: { transcript: null, retention: { type: null, hours: 24 } } },
    { recording_config: { transcript: { provider: { native: null } } } },
    { recording_config: { transcript: { provider: { native: { language: null } } } } },
    { google_meet: null, zoom: null, teams: null },
    { platformb: { platformb_login_domain: null, sign_in_email: null, strict_email: null } },
    { google_meet: { google_login_domain: null }, platformb: null },
    { use_zoom_obf: null, platforma: { zak_url: null, obf_url: null } },
  ])('accepts %j', async (fields) => {
    const { status, body } = await create(fields)
    expect(status, JSON.stringify(body)).toBe(201)
  })

  test('keeps null inside custom_attributes', async () => {
    const { body } = await create({ custom_attributes: { owner: null } })
    expect((await service.api('GET', `/api/v1/bots/${body.bot_id}/status`)).body.custom_attributes).toEqual({ owner: null })
  })

  test('reads an alias if the neutral field is null', async () => {
    const { status, body } = await create({ platformb: null, google_meet: { google_login_domain: 'nobody.example' } })
    expect(status).toBe(400)
    expect(body.message).toBe(
      'google_meet.google_login_domain nobody.example is not registered. Register it with POST /api/v1/google-login-domains.',
    )
  })
})

test('accepts null for unchanged fields of reschedule', async () => {
  const { body } = await create({ bot_name: 'Scribe' })
  const later = new Date(Date.parse(TOMORROW) + 60_000).toISOString()
  const change = { scheduled_join_time: later, bot_username: null, custom_attributes: null, automatic_leave: null }
  const moved = await service.api('PATCH', `/api/v1/calendar/scheduled_bots/${body.bot_id}`, change)
  expect(moved).toMatchObject({ status: 200, body: { updated_fields: ['scheduled_join_time'] } })
  const { bot_details } = (await service.api('GET', `/api/v1/bots/${body.bot_id}/detail`)).body
  expect(bot_details.BotUsername).toBe('Scribe')
})

test('accepts null for optional fields of transcribe, commands, calendars and logins', async () => {
  const bot = await botInMeeting(service, 'Stopped')
  const run = await service.api('POST', `/api/v1/bots/${bot}/transcribe`, { provider: null, callback_url: null })
  expect(run.status, JSON.stringify(run.body)).not.toBe(400)
  const inside = await botInMeeting(service)
  const said = await service.api('POST', `/api/v1/bots/${inside}/speak`, { text: 'Hello', voice: null, language: null })
  expect(said.status, JSON.stringify(said.body)).toBe(503)
  const enabled = await service.api('POST', '/api/v1/calendar/auto-schedule/enable', {
    default_bot_config: { bot_name: null, video_required: false, transcription: null, recording_config: { transcript: null } },
  })
  expect(enabled).toMatchObject({ status: 200, body: { default_bot_config: { video_required: false, recording_config: {} } } })
  const domain = { sso_workspace_domain: 'nulls.example', name: null, login_mode: null }
  expect(await service.api('POST', '/api/v1/google-login-domains', domain)).toMatchObject({ status: 201, body: { login_mode: 'always' } })
})

test('clears only the description by a PATCH of a webhook endpoint with null', async () => {
  const made = await service.api('POST', '/api/v1/webhook_endpoints', { url: 'https://hooks.example/x', events: ['*'], description: 'old' })
  const change = { description: null, url: null, events: null, retry: null, enabled: null }
  const { body } = await service.api('PATCH', `/api/v1/webhook_endpoints/${made.body.id}`, change)
  expect(body).toMatchObject({ description: null, url: 'https://hooks.example/x', events: ['*'], retry: 'none', enabled: true })
})
