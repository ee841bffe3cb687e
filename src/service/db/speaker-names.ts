// Names that users gave to the speakers of a recording.
import { sql } from 'kysely'
import type { BotId } from '../../domain/bot.ts'
import type { Db } from './database.ts'

export type SpeakerNames = ReadonlyMap<string, string>

export async function findSpeakerNames(db: Db, bot: BotId): Promise<SpeakerNames> {
  const rows = await db.selectFrom('speaker_names').select(['speaker_id', 'name']).where('bot_id', '=', bot).execute()
  return new Map(rows.map((row) => [row.speaker_id, row.name]))
}

/** True if the id is that of a participant of the meeting, or of a recorded stream. */
export async function isRecordedSpeaker(db: Db, bot: BotId, speakerId: string): Promise<boolean> {
  const { rows } = await sql`
    select from participants where bot_id = ${bot} and id = ${speakerId}
    union all
    select from artefacts where bot_id = ${bot} and facts ->> 'participantId' = ${speakerId} limit 1`.execute(db)
  return rows.length > 0
}

/** Null: restores the name shown in the meeting. */
export async function setSpeakerName(db: Db, bot: BotId, { speakerId, name }: { speakerId: string; name: string | null }): Promise<void> {
  if (name === null) await db.deleteFrom('speaker_names').where('bot_id', '=', bot).where('speaker_id', '=', speakerId).execute()
  else
    await db
      .insertInto('speaker_names')
      .values({ bot_id: bot, speaker_id: speakerId, name })
      .onConflict((known) => known.columns(['bot_id', 'speaker_id']).doUpdateSet({ name }))
      .execute()
}
