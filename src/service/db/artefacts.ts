// Screenshots and participant events of a bot, and the fields of the bot that signed links need.
import { sql } from 'kysely'
import type { BotId } from '../../domain/bot.ts'
import type { Participant } from '../../domain/meeting.ts'
import type { ParticipantEvent } from '../../domain/participant-events.ts'
import type { Platform } from '../../domain/platforms.ts'
import type { Claim } from './claims.ts'
import type { Db } from './database.ts'

export type LinkedBot = { readonly deletionEpoch: number; readonly platform: Platform; readonly inMeetingAt: Date | null }

/** Not limited to one workspace: the signed link itself grants access. */
export async function findLinkedBot(db: Db, bot: BotId): Promise<LinkedBot | null> {
  const { rows } = await sql<LinkedBot>`
    select deletion_epoch as "deletionEpoch", platform, in_meeting_at as "inMeetingAt" from bots where id = ${bot}`.execute(db)
  return rows[0] ?? null
}

export type Screenshot = { readonly at: Date; readonly key: string }

/** False: the bot's data was deleted, or the claim is no longer the bot's. */
export async function insertScreenshot(db: Db, { botId, fence }: Claim, { at, key }: Screenshot): Promise<boolean> {
  const { rows } = await sql`
    with kept as (select id from bots where id = ${botId} and fence = ${fence} and erased_at is null for share),
    written as (insert into screenshots (bot_id, at, key) select id, ${at}, ${key} from kept on conflict do nothing)
    select from kept`.execute(db)
  return rows.length > 0
}

export async function listScreenshots(db: Db, bot: BotId): Promise<Screenshot[]> {
  const { rows } = await sql<Screenshot>`select at, key from screenshots where bot_id = ${bot} order by at`.execute(db)
  return rows
}

/**
 * Participants who were present at the bot's last look, as last reported. `participants` cannot answer this: a bot that leaves closes that
 * list, although the others stay.
 */
export async function lastSeen(tx: Db, bot: BotId): Promise<Participant[]> {
  // Of two concurrent writers, the second reads the events of the first.
  await sql`select from bots where id = ${bot} for no key update`.execute(tx)
  const { rows } = await sql<Participant>`
    select participant_id as id, name, is_host as "isHost", microphone_on as "microphoneOn", camera_on as "cameraOn" from (
      select distinct on (participant_id) * from participant_events where bot_id = ${bot} order by participant_id, seq desc
    ) as last where action <> 'leave' order by seq`.execute(tx)
  return rows
}

export async function insertParticipantEvents(tx: Db, bot: BotId, events: readonly ParticipantEvent[], at: Date): Promise<void> {
  if (events.length === 0) return
  const rows = events.map(({ action, participant: it }) => ({
    ...{ bot_id: bot, action, participant_id: it.id, name: it.name, is_host: it.isHost },
    ...{ microphone_on: it.microphoneOn, camera_on: it.cameraOn, at },
  }))
  await tx.insertInto('participant_events').values(rows).execute()
}

export type TimedParticipantEvent = ParticipantEvent & { readonly at: Date }

export async function listParticipantEvents(db: Db, bot: BotId): Promise<TimedParticipantEvent[]> {
  const rows = await db.selectFrom('participant_events').selectAll().where('bot_id', '=', bot).orderBy('seq').execute()
  return rows.map(({ action, at, participant_id: id, name, is_host, microphone_on, camera_on }) => ({
    ...{ action, at, participant: { id, name, isHost: is_host, microphoneOn: microphone_on, cameraOn: camera_on } },
  }))
}

/** Deletes them, and invalidates every link that was made before. */
export async function eraseArtefacts(tx: Db, bot: BotId): Promise<void> {
  await sql`delete from screenshots where bot_id = ${bot}`.execute(tx)
  await sql`delete from participant_events where bot_id = ${bot}`.execute(tx)
  // Participant events hold names and chat texts.
  await sql`delete from events where bot_id = ${bot} and name like 'participant_events.%'`.execute(tx)
  await sql`delete from artefacts where bot_id = ${bot}`.execute(tx)
  await sql`delete from transcriptions where bot_id = ${bot}`.execute(tx)
  // Stops processing of the recording as well.
  await sql`update bots set deletion_epoch = deletion_epoch + 1, process_at = null where id = ${bot}`.execute(tx)
}
