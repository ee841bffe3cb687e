// The configuration of a calendar's bots: the fields of create_bot, validated when they are set.
import { describe, expect, test } from 'vitest'
import { calendarServiceForFile, connect, eventsOf, newUser, scheduledOf } from '../../helpers/calendars/calendar.ts'
import { during, inHours, meetLink } from '../../helpers/calendars/event-fields.ts'

const service = calendarServiceForFile()

async function withEvent() {
  const { api, google } = await newUser(service)
  google.put({ id: 'event', summary: 'Review', hangoutLink: meetLink(1), ...during(inHours(5)) })
  await connect(api, google.credentials, { bot_name: 'Scribe' })
  const [event] = await eventsOf(api)
  if (!event) throw new Error('the event is not there')
  return { api, google, event }
}

test('answers the configuration in effect when an event is scheduled without one', async () => {
  const { api, event } = await withEvent()
  const schedule = async (body?: object) => (await api('POST', `/calendar/schedule/${event.id}`, body)).body
  const unschedule = () => api('DELETE', `/calendar/schedule/${event.id}`)
  expect((await schedule()).bot_config).toEqual({ bot_name: 'Scribe', audio_required: true, video_required: true })
  await unschedule()
  await api('POST', '/calendar/auto-schedule/enable', { default_bot_config: { video_required: false, callback_url: 'https://x.example/' } })
  const { bot_id, bot_config } = await schedule({ bot_config: { bot_name: 'Asked' } })
  const inEffect = { bot_name: 'Asked', audio_required: true, video_required: false, callback_url: 'https://x.example/' }
  expect(bot_config).toEqual(inEffect)
  const { RequestPayload, BotUsername } = (await api('GET', `/api/v1/bots/${bot_id}/detail`)).body.bot_details
  expect([BotUsername, RequestPayload.video_required]).toEqual(['Asked', false])
})

describe('a field that this server does not support', () => {
  const live_video_required = { websocket_url: 'wss://example.com/video' }
  const refusal = { status: 400, body: { message: 'live_video_required is not supported by this server. Leave it out.' } }

  test('is refused for an event, for auto-scheduling and for a calendar', async () => {
    const { api, google, event } = await withEvent()
    expect(await api('POST', `/calendar/schedule/${event.id}`, { bot_config: { live_video_required } })).toMatchObject(refusal)
    const enabled = await api('POST', '/calendar/auto-schedule/enable', { default_bot_config: { live_video_required } })
    expect(enabled).toMatchObject(refusal)
    expect(await connect(api, google.credentials, { live_video_required })).toMatchObject(refusal)
    expect(await scheduledOf(api)).toEqual([])
  })

  test('is accepted as null or false', async () => {
    const { api, event } = await withEvent()
    const bot_config = { live_video_required: false, agent_config_id: null }
    expect((await api('POST', `/calendar/schedule/${event.id}`, { bot_config })).status).toBe(200)
  })
})

test('connects a calendar with every field of a bot, and validates an alias like its neutral name', async () => {
  const { api, google } = await newUser(service)
  google.put({ id: 'event', summary: 'Review', hangoutLink: meetLink(1), ...during(inHours(5)) })
  const wrong = await connect(api, google.credentials, { google_meet: { google_login_domain: 5 } })
  expect(wrong).toMatchObject({ status: 400, body: { message: 'google_meet.google_login_domain must be a string.' } })
  await connect(api, google.credentials, { custom_attributes: { team: 'sales' } })
  const [event] = await eventsOf(api)
  await api('POST', `/calendar/schedule/${event?.id}`)
  expect((await scheduledOf(api))[0]?.custom_attributes).toMatchObject({ team: 'sales' })
})
