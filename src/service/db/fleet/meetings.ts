// Participants and chat of a bot's meeting.
import { sql } from 'kysely'
import type { Bot, BotId, BotSpec } from '../../../domain/bot.ts'
import type { Attribution, ChatMessage, Participant, Roster } from '../../../domain/meeting.ts'
import { type ParticipantEvent, participantEvents } from '../../../domain/participant-events.ts'
import type { Db } from '../database.ts'
import { firstRow, hasRow, rowsOf } from '../query.ts'
import type { Claim } from './claims.ts'
import { insertParticipantEvents, lastSeen } from './participant-events.ts'

/** `removed`: the ids of participants whom the host removed. */
type RosterReport = Roster & { readonly removed?: readonly string[] }

/** Writes the participants present. Those who are missing from the roster have left. Returns the joins, leaves and changes. */
export async function writeRoster(
  tx: Db,
  { botId: bot, fence }: Claim,
  { others, spokenMs, attributions = {}, at: moment, removed = [] }: RosterReport,
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
  await writeAttributions(tx, bot, attributions)
  return events
}

/** Each session counts from zero, so earlier sessions' counts are added. */
async function writeSpoken(tx: Db, { botId, fence }: Claim, spokenMs: Roster['spokenMs']): Promise<void> {
  const before = sql`case when spoken_fence = ${fence} then spoken_before_ms else speaking_ms end`
  await sql`update participants set spoken_fence = ${fence}, spoken_before_ms = ${before}, speaking_ms = ${before} + spoken.ms
    from unnest(${Object.keys(spokenMs)}::text[], ${Object.values(spokenMs).map(Math.round)}::bigint[]) as spoken (id, ms)
    where bot_id = ${botId} and participants.id = spoken.id`.execute(tx)
}

/** A participant whom no source names any more keeps the last one. */
async function writeAttributions(tx: Db, bot: BotId, attributions: NonNullable<Roster['attributions']>): Promise<void> {
  if (Object.keys(attributions).length === 0) return
  await sql`update participants set attribution = named.by
    from unnest(${Object.keys(attributions)}::text[], ${Object.values(attributions)}::text[]) as named (id, by)
    where bot_id = ${bot} and participants.id = named.id and attribution is distinct from named.by`.execute(tx)
}

/** The fields of a bot that its participant events need. */
export type Meeting = Pick<Bot, 'workspaceId' | 'platform' | 'customAttributes' | 'transcriptId'> & {
  readonly inMeetingAt: Date | null
  readonly realtime: BotSpec['realtime']
}

/** Locks the bot, so that the next writer waits until the transaction ends. */
export function findMeeting(tx: Db, bot: BotId): Promise<Meeting | null> {
  return firstRow<Meeting>(tx)`
    select workspace_id as "workspaceId", platform, in_meeting_at as "inMeetingAt", custom_attributes as "customAttributes",
      transcript_id as "transcriptId", spec -> 'realtime' as realtime
    from bots where id = ${bot} for no key update`
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
  readonly attribution: Attribution | null
}

export function listParticipants(db: Db, bot: BotId): Promise<SeenParticipant[]> {
  return rowsOf<SeenParticipant>(db)`
    select id, name, is_host as "isHost", microphone_on as "microphoneOn", camera_on as "cameraOn", speaking_ms as "speakingMs",
      joined_at as "joinedAt", left_at as "leftAt", removed, updated_at as "updatedAt", attribution
    from participants where bot_id = ${bot} order by joined_at, id`
}

export function findParticipant(db: Db, bot: BotId, id: string): Promise<Participant | null> {
  return firstRow<Participant>(db)`
    select id, name, is_host as "isHost", microphone_on as "microphoneOn", camera_on as "cameraOn"
    from participants where bot_id = ${bot} and id = ${id}`
}

/** False: the message is stored already, and the answer to its first insertion was lost. */
export function insertChat(db: Db, bot: BotId, { from, name, text, at }: ChatMessage): Promise<boolean> {
  const sentAt = new Date(at)
  return hasRow(db)`insert into chat_messages (bot_id, participant_id, name, text, at)
    select ${bot}, ${from}, ${name}, ${text}, ${sentAt}::timestamptz where not exists (
      select from chat_messages where bot_id = ${bot} and participant_id = ${from} and at = ${sentAt}::timestamptz and text = ${text}
    ) returning true`
}

export type SeenChat = { readonly seq: number; readonly from: string; readonly name: string; readonly text: string; readonly at: Date }

export function listChat(db: Db, bot: BotId): Promise<SeenChat[]> {
  return rowsOf<SeenChat>(db)`
    select seq, participant_id as "from", name, text, at from chat_messages where bot_id = ${bot} order by seq`
}

/** Deletes the meeting's data, invalidates its links, and returns the number of deleted items. The store counts its objects itself. */
export async function eraseMeeting(tx: Db, bot: BotId): Promise<number> {
  await sql`delete from screenshots where bot_id = ${bot}`.execute(tx)
  await sql`delete from participant_events where bot_id = ${bot}`.execute(tx)
  // Participant events hold names and chat texts.
  await sql`delete from events where bot_id = ${bot} and name like 'participant_events.%'`.execute(tx)
  await sql`delete from artefacts where bot_id = ${bot}`.execute(tx)
  await sql`delete from transcriptions where bot_id = ${bot}`.execute(tx)
  // Stops processing of the recording as well.
  await sql`update bots set deletion_epoch = deletion_epoch + 1, process_at = null where id = ${bot}`.execute(tx)
  await sql`delete from speaker_names where bot_id = ${bot}`.execute(tx)
  const people = await sql`delete from participants where bot_id = ${bot}`.execute(tx)
  const lines = await sql`delete from chat_messages where bot_id = ${bot}`.execute(tx)
  return Number((people.numAffectedRows ?? 0n) + (lines.numAffectedRows ?? 0n))
}
