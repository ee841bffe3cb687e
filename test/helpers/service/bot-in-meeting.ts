// A bot row in the middle of a meeting, without a worker.
import type { BotId } from '../../../src/domain/bot.ts'
import type { TestService } from './service.ts'

const ENTERED = '2026-11-15T09:30:00.000Z'

/** Seconds since the bot joined. */
export const moment = (second: number) => new Date(Date.parse(ENTERED) + second * 1000)

export async function botInMeeting(
  { api, db }: TestService,
  status: 'InMeeting' | 'Stopped' = 'InMeeting',
  fields: object = {},
): Promise<BotId> {
  const join_at = new Date(Date.now() + 86_400_000).toISOString()
  const meeting_link = 'https://meet.google.com/abc-defg-hij'
  const { body } = await api('POST', '/api/v1/bots/create_bot', { meeting_link, join_at, ...fields })
  const timeline = JSON.stringify({ InMeeting: { status: true, timestamp: ENTERED, message: 'In' } })
  await db
    .updateTable('bots')
    .set({ status, timeline, in_meeting_at: new Date(ENTERED), ended_at: status === 'Stopped' ? new Date() : null, launch_at: null })
    .where('id', '=', body.bot_id)
    .execute()
  return body.bot_id
}
