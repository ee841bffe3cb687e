// Writes down what the world will be told of a bot, in the transaction of the change itself.
import type { Announcement } from '../../domain/announcements.ts'
import type { BotId, JsonObject, WorkspaceId } from '../../domain/bot.ts'
import { newId } from '../../kit/id.ts'
import type { Db } from '../db/database.ts'
import { insertEvent, type NewEvent } from '../db/deliveries.ts'

/** Whose news it is. */
export type Subject = {
  readonly id: BotId
  readonly workspaceId: WorkspaceId
  readonly callbackUrl: string | null
  readonly transcriptId: string | null
  readonly customAttributes: JsonObject
}

export type News = {
  readonly announcement: Announcement
  readonly message: string
  readonly at: Date
  /** Fields that only this event has, such as `scheduled_join_time`. */
  readonly extra?: JsonObject
}

export async function announce(tx: Db, bot: Subject, news: News): Promise<void> {
  await insertEvent(tx, eventOf(bot, news), bot.callbackUrl ? [bot.callbackUrl] : [])
}

/** The news as it will be sent. */
export function eventOf(bot: Subject, { announcement, message, at, extra }: News): NewEvent {
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
