// Names that people gave to the speakers of a recording.
import { sql } from 'kysely'
import type { BotId } from '../../../domain/bot.ts'
import type { Db } from '../database.ts'
import { hasRow, rowsOf } from '../query.ts'

type SpeakerNames = ReadonlyMap<string, string>

export async function findSpeakerNames(db: Db, bot: BotId): Promise<SpeakerNames> {
  const rows = await rowsOf<{ id: string; name: string }>(db)`select speaker_id as id, name from speaker_names where bot_id = ${bot}`
  return new Map(rows.map(({ id, name }) => [id, name]))
}

/** True if the id is that of a participant of the meeting, or of a recorded stream. */
export function isRecordedSpeaker(db: Db, bot: BotId, speakerId: string): Promise<boolean> {
  return hasRow(db)`
    select from participants where bot_id = ${bot} and id = ${speakerId}
    union all
    select from artefacts where bot_id = ${bot} and facts ->> 'participantId' = ${speakerId} limit 1`
}

/** Null: restores the name shown in the meeting. */
export async function setSpeakerName(db: Db, bot: BotId, { speakerId, name }: { speakerId: string; name: string | null }): Promise<void> {
  if (name === null) await sql`delete from speaker_names where bot_id = ${bot} and speaker_id = ${speakerId}`.execute(db)
  else
    await sql`insert into speaker_names (bot_id, speaker_id, name) values (${bot}, ${speakerId}, ${name})
      on conflict (bot_id, speaker_id) do update set name = excluded.name`.execute(db)
}
