// Participants and chat of a bot's meeting.
import { sql } from 'kysely'
import type { BotId, JsonObject, RealtimeEndpoint, WorkspaceId } from '../../domain/bot.ts'
import type { ChatMessage, Participant, Roster } from '../../domain/meeting.ts'
import { type ParticipantEvent, participantEvents } from '../../domain/participant-events.ts'
import type { Platform } from '../../domain/platforms.ts'
import { eraseArtefacts, insertParticipantEvents, lastSeen } from './artefacts.ts'
import type { Claim } from './claims.ts'
import type { Db } from './database.ts'

/** `removed`: the ids of participants whom the host removed. */
type RosterReport = Roster & { readonly removed?: readonly string[] }

/** Writes the participants present. Those who are missing from the roster have left. Returns the joins, leaves and changes. */
export async function writeRoster(
  tx: Db,
  { botId: bot, fence }: Claim,
  { others, spokenMs, at: moment, removed = [] }: RosterReport,
): Promise<ParticipantEvent[]> {
  const at = new Date(moment)
  const events = participantEvents(await lastSeen(tx, bot), others)
  await insertParticipantEvents(tx, bot, events, at)
  await sql`update participants set left_at = ${at}, updated_at = ${at}
    where bot_id = ${bot} and left_at is null and id <> all(${others.map(({ id }) => id)})`.execute(tx)
  for (const it of others) {
    // A participant who returns keeps the first join time.
    await sql`insert into participants (bot_id, id, name, is_host, microphone_on, camera_on, joined_at, updated_at)
      values (${bot}, ${it.id}, ${it.name}, ${it.isHost}, ${it.microphoneOn}, ${it.cameraOn}, ${at}, ${at})
      on conflict (bot_id, id) do update set name = excluded.name, is_host = excluded.is_host, microphone_on = excluded.microphone_on,
        camera_on = excluded.camera_on, left_at = null, removed = false, updated_at = ${at}`.execute(tx)
  }
  await sql`update participants set removed = true where bot_id = ${bot} and left_at is not null and id = any(${removed})`.execute(tx)
  await writeSpoken(tx, { botId: bot, fence }, spokenMs)
  return events
}

/** Each session counts from zero, so earlier sessions' counts are added. */
async function writeSpoken(tx: Db, { botId, fence }: Claim, spokenMs: Roster['spokenMs']): Promise<void> {
  const before = sql`case when spoken_fence = ${fence} then spoken_before_ms else speaking_ms end`
  await sql`update participants set spoken_fence = ${fence}, spoken_before_ms = ${before}, speaking_ms = ${before} + spoken.ms
    from unnest(${Object.keys(spokenMs)}::text[], ${Object.values(spokenMs).map(Math.round)}::bigint[]) as spoken (id, ms)
    where bot_id = ${botId} and participants.id = spoken.id`.execute(tx)
}

/** The fields of a bot that its participant events need. */
export type Meeting = {
  readonly workspaceId: WorkspaceId
  readonly platform: Platform
  readonly inMeetingAt: Date | null
  readonly customAttributes: JsonObject
  readonly transcriptId: string | null
  readonly realtime: readonly RealtimeEndpoint[]
}

/** Locks the bot, so that the next writer waits until the transaction ends. */
export async function findMeeting(tx: Db, bot: BotId): Promise<Meeting | null> {
  const { rows } = await sql<Meeting>`
    select workspace_id as "workspaceId", platform, in_meeting_at as "inMeetingAt", custom_attributes as "customAttributes",
      transcript_id as "transcriptId", spec -> 'realtime' as realtime
    from bots where id = ${bot} for no key update`.execute(tx)
  return rows[0] ?? null
}

/** The bot has left: notes until when it saw the participants. No participant is known to have left, so there is neither an event nor a leave time. */
export async function closeRoster(db: Db, bot: BotId, at: Date): Promise<void> {
  await sql`update participants set updated_at = ${at} where bot_id = ${bot} and left_at is null`.execute(db)
}

export type SeenParticipant = Participant & {
  readonly speakingMs: number
  readonly joinedAt: Date
  readonly leftAt: Date | null
  readonly removed: boolean
  readonly updatedAt: Date
}

export async function listParticipants(db: Db, bot: BotId): Promise<SeenParticipant[]> {
  const { rows } = await sql<SeenParticipant>`
    select id, name, is_host as "isHost", microphone_on as "microphoneOn", camera_on as "cameraOn", speaking_ms as "speakingMs",
      joined_at as "joinedAt", left_at as "leftAt", removed, updated_at as "updatedAt"
    from participants where bot_id = ${bot} order by joined_at, id`.execute(db)
  return rows
}

export async function findParticipant(db: Db, bot: BotId, id: string): Promise<Participant | null> {
  const { rows } = await sql<Participant>`
    select id, name, is_host as "isHost", microphone_on as "microphoneOn", camera_on as "cameraOn"
    from participants where bot_id = ${bot} and id = ${id}`.execute(db)
  return rows[0] ?? null
}

export async function insertChat(db: Db, bot: BotId, { from, name, text, at }: ChatMessage): Promise<void> {
  await sql`insert into chat_messages (bot_id, participant_id, name, text, at) values (${bot}, ${from}, ${name}, ${text}, ${new Date(at)})`.execute(
    db,
  )
}

export type SeenChat = { readonly seq: number; readonly from: string; readonly name: string; readonly text: string; readonly at: Date }

export async function listChat(db: Db, bot: BotId): Promise<SeenChat[]> {
  const { rows } = await sql<SeenChat>`
    select seq, participant_id as "from", name, text, at from chat_messages where bot_id = ${bot} order by seq`.execute(db)
  return rows
}

/** Deletes the meeting's data, invalidates its links, and returns the number of deleted items. The store counts its objects itself. */
export async function eraseMeeting(tx: Db, bot: BotId): Promise<number> {
  await eraseArtefacts(tx, bot)
  await sql`delete from speaker_names where bot_id = ${bot}`.execute(tx)
  const people = await sql`delete from participants where bot_id = ${bot}`.execute(tx)
  const lines = await sql`delete from chat_messages where bot_id = ${bot}`.execute(tx)
  return Number((people.numAffectedRows ?? 0n) + (lines.numAffectedRows ?? 0n))
}
