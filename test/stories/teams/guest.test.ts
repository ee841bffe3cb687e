// A guest bot of a whole service in Microsoft Teams, for work and personal meetings.
import { expect, test } from 'vitest'
import { openForFile } from '../../helpers/for-file.ts'
import { TeamsStage } from '../../helpers/meetings/teams.ts'
import { until } from '../../helpers/until.ts'

const LONG = 120_000

const stage = openForFile(() => TeamsStage.open(), LONG)

test.each(['work', 'personal'] as const)('joins a %s meeting as a guest, is admitted, and leaves', { timeout: LONG }, async (variant) => {
  const meeting = stage.meeting({ variant })
  const id = await stage.send(meeting, { bot_name: 'Note taker' })
  await stage.waits(meeting, id)
  expect(meeting.waiting()).toMatchObject([{ name: 'Note taker', token: null }])
  meeting.admit()
  await stage.has(id, 'InMeeting')
  await until('the meeting has it', () => meeting.inside().length === 1, 20_000)
  expect((await stage.remove(id)).status).toBe(200)
  await stage.has(id, 'Stopped')
  await until('the meeting has seen it go', () => meeting.inside().length === 0, 20_000)
  expect(meeting.pressed.at(-1)).toMatchObject({ control: 'leave', trusted: true })
})
