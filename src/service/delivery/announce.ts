// Writes an event of a bot in the transaction of the change it reports.
import type { Announcement } from '../../domain/announcements.ts'
import type { JsonObject } from '../../domain/bot.ts'
import { newId } from '../../kit/id.ts'
import type { Db } from '../db/database.ts'
import { insertEvent, type NewEvent, type Subject } from '../db/delivery/deliveries.ts'

export type EventDetails = {
  readonly announcement: Announcement
  readonly message: string
  readonly at: Date
  /** Fields that only this event has, such as `scheduled_join_time`. */
  readonly extra?: JsonObject
}

export async function announce(tx: Db, bot: Subject, details: EventDetails): Promise<void> {
  await insertEvent(tx, eventOf(bot, details), bot.callbackUrl ? [bot.callbackUrl] : [])
}

/** The event with its body as sent to receivers. */
export function eventOf(bot: Subject, { announcement, message, at, extra }: EventDetails): NewEvent {
  const id = newId('msg', at)
  const { event: name, botEvent, botStatus, statusCode, status } = announcement
  const body = JSON.stringify({
    event: name,
    bot_event: botEvent,
    bot_id: bot.id,
    bot_status: botStatus,
    message,
    ...(statusCode !== undefined && { status_code: statusCode }),
    ...(status && { status }),
    ...extra,
    custom_attributes: bot.customAttributes,
    transcript_id: bot.transcriptId,
    timestamp: at.toISOString(),
    event_id: id,
  })
  return { id, workspaceId: bot.workspaceId, botId: bot.id, name, body, at }
}
