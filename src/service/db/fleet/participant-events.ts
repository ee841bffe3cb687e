// Joins, leaves and changes of participants, in their order.
import { sql } from 'kysely'
import type { BotId } from '../../../domain/bot.ts'
import type { Participant } from '../../../domain/meeting.ts'
import type { ParticipantEvent } from '../../../domain/participant-events.ts'
import type { Db } from '../database.ts'
import { rowsOf } from '../query.ts'

const PARTICIPANT = sql`participant_id as id, name, is_host as "isHost", microphone_on as "microphoneOn", camera_on as "cameraOn"`

/**
 * Participants who were present at the bot's last look, as last reported. `participants` cannot answer this: a bot that leaves closes that
 * list, although the others stay.
 */
export async function lastSeen(tx: Db, bot: BotId): Promise<Participant[]> {
  // Of two concurrent writers, the second reads the events of the first.
  await sql`select from bots where id = ${bot} for no key update`.execute(tx)
  return rowsOf<Participant>(tx)`
    select ${PARTICIPANT} from (
      select distinct on (participant_id) * from participant_events where bot_id = ${bot} order by participant_id, seq desc
    ) as last where action <> 'leave' order by seq`
}

export async function insertParticipantEvents(tx: Db, bot: BotId, events: readonly ParticipantEvent[], at: Date): Promise<void> {
  if (events.length === 0) return
  const rows = events.map(
    ({ action, participant: it }) =>
      sql`(${bot}, ${action}, ${it.id}, ${it.name}, ${it.isHost}, ${it.microphoneOn}, ${it.cameraOn}, ${at})`,
  )
  await sql`insert into participant_events (bot_id, action, participant_id, name, is_host, microphone_on, camera_on, at)
    values ${sql.join(rows)}`.execute(tx)
}

export type TimedParticipantEvent = ParticipantEvent & { readonly at: Date }

export async function listParticipantEvents(db: Db, bot: BotId): Promise<TimedParticipantEvent[]> {
  const rows = await rowsOf<Participant & Pick<TimedParticipantEvent, 'action' | 'at'>>(db)`
    select action, at, ${PARTICIPANT} from participant_events where bot_id = ${bot} order by seq`
  return rows.map(({ action, at, ...participant }) => ({ action, at, participant }))
}
