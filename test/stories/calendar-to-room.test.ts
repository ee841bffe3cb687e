// An event in a connected calendar sends a real bot into a built-in room.
import { expect, test } from 'vitest'
import { calendarServiceForFile, connect, eventsOf, newUser, scheduledOf } from '../helpers/calendars/calendar.ts'
import { during } from '../helpers/calendars/event-fields.ts'
import { ADA, joinRoom, withoutCamera } from '../helpers/meetings/bot-in-room.ts'
import { until } from '../helpers/until.ts'

const MINUTE_MS = 60_000

const service = calendarServiceForFile({ BOT_WORKERS: '1', BOTS_PER_WORKER: '1' })

test('sends a bot one minute before a calendar event, under the configured bot name', { timeout: 120_000 }, async () => {
  const { api, google } = await newUser(service)
  const roomUrl = `${service.url}/room/from-calendar`
  const ada = (await joinRoom(roomUrl, withoutCamera(ADA))).named('Ada')

  // The event is tomorrow at first, with the link inside its description.
  const description = `<p>Hello all,</p><p>join here: <a href="${roomUrl}">the room</a>.</p>`
  google.put({ id: 'review', summary: 'Review', description, ...during(new Date(Date.now() + 24 * 60 * MINUTE_MS)) })
  await connect(api, google.credentials, { bot_name: 'Calendar bot', video_required: false })
  await api('POST', '/calendar/auto-schedule/enable', { default_bot_config: { bot_name: 'Note taker' } })
  const [planned] = await scheduledOf(api)
  expect(planned).toMatchObject({ platform: 'Room', meeting_link: roomUrl, bot_username: 'Note taker' })

  // The event is moved to little more than a minute from now, so the bot joins at once.
  const start = new Date(Date.now() + 75_000)
  google.put({ id: 'review', ...during(start) })
  const [event] = await eventsOf(api, '?sync=true')
  expect(event?.bots).toMatchObject([{ id: planned?.bot_id, scheduled_join_time: new Date(start.getTime() - MINUTE_MS).toISOString() }])
  await until('Ada sees the bot', async () => (await ada.sees()).some(({ name }) => name === 'Note taker'), 60_000)
  expect(Date.now()).toBeLessThan(start.getTime())

  // An edit after that must not send a second bot.
  google.put({ id: 'review', summary: 'Review, part one' })
  await eventsOf(api, '?sync=true')
  const bots = async (): Promise<{ bot_id: string; status: string }[]> => (await api('GET', '/api/v1/bots')).body.bots
  await until('the bot is in', async () => (await bots())[0]?.status === 'InMeeting', 20_000)
  expect((await bots()).map(({ bot_id }) => bot_id)).toEqual([planned?.bot_id])
  await api('GET', `/api/v1/bots/${planned?.bot_id}/remove_bot`)
  await until('the bot has left', async () => !(await ada.sees()).some(({ name }) => name === 'Note taker'), 20_000)
})
