// The queue of recordings to process, the files made of them, and the names that users gave to their speakers.
import { sql } from 'kysely'
import type { BotId, BotSpec, Delivered, JsonObject } from '../../../domain/bot.ts'
import type { Platform } from '../../../domain/platforms.ts'
import type { Db } from '../database.ts'
import { firstRow, hasRow, idsOf, rowsOf } from '../query.ts'
import { turnsIn, type WorkClaim } from './turns.ts'

export type ArtefactKind = 'audio' | 'video' | 'audio_stream' | 'video_stream' | 'screen_stream' | 'speaker_timeline'

export type DueRecording = {
  readonly id: BotId
  readonly platform: Platform
  readonly spec: BotSpec
  /** The id of the requested transcript; null: the live transcript is the record. */
  readonly transcriptId: string | null
  /** The number of claims that may have found no recording, this one included. */
  readonly claims: number
  /** The number of earlier claims that failed. */
  readonly failures: number
  /** The number of earlier claims without an outcome: their process ended during the work. */
  readonly unfinished: number
  readonly wasRecording: boolean
  /** An estimate of the CPU time that the files take. */
  readonly workSeconds: number
}

/** CPU seconds for a minute of a recording of four people, measured by the bench `cost`. */
const [AUDIO_SECONDS, VIDEO_SECONDS] = [3.4, 12.9]
const TURNS = turnsIn('recordings', {
  secondsPerMinute: sql`case when (bots.spec->>'video')::boolean then ${AUDIO_SECONDS + VIDEO_SECONDS}::float8 else ${AUDIO_SECONDS}::float8 end`,
  since: sql`coalesce(bots.ended_at, bots.process_at)`,
})

/** Claims a due recording for `leaseSeconds`. */
export function claimRecording(db: Db, { leaseSeconds, mostSeconds }: WorkClaim): Promise<DueRecording | null> {
  return firstRow<DueRecording>(db)`
    with due as (
      select bots.id, bots.workspace_id, work.seconds from bots ${TURNS.from}
      where bots.process_at <= now() and ${TURNS.isWithin(mostSeconds)}
      order by ${TURNS.order}, bots.id limit 1 for update of bots skip locked
    ), turn as (${TURNS.take})
    update bots set process_at = now() + make_interval(secs => ${leaseSeconds}), process_tries = process_tries + 1,
      process_unfinished = process_unfinished + 1
    from due where bots.id = due.id
    returning bots.id, platform, spec, transcript_id as "transcriptId", process_tries as claims, process_failures as failures,
      process_unfinished - 1 as unfinished, timeline ? 'Recording' as "wasRecording", due.seconds as "workSeconds"`
}

export type RunningRecording = { readonly id: BotId; readonly view: BotSpec['layout'] }

/**
 * The running recordings with a video whose pieces this node makes during the meeting. Each living media node has a share, by a hash of both ids
 * (rendezvous hashing), so a node that joins or is lost moves only its own share. Servers in FIPS mode have no md5().
 */
export function recordingsAhead(db: Db, nodeId: string): Promise<RunningRecording[]> {
  return rowsOf<RunningRecording>(db)`
    select id, spec->>'layout' as view from bots
    where node_id is not null and launch_at is not null and timeline ? 'Recording' and (spec->>'video')::boolean
      and ${nodeId} = (select id from nodes where alive_until > now() and 'media' = any(roles) order by sha256(convert_to(bots.id || nodes.id, 'UTF8')) limit 1)
    order by id`
}

/** The claim has an outcome. */
const HAS_OUTCOME = sql`process_unfinished = greatest(process_unfinished - 1, 0)`

const RECORDING_OUTCOMES = {
  /** The claim is renewed. */
  none: sql``,
  /** It found no recording. */
  not_uploaded: sql`, ${HAS_OUTCOME}`,
  failed: sql`, ${HAS_OUTCOME}, process_failures = process_failures + 1`,
  /** It ended for an unrelated reason and does not count. */
  uncounted: sql`, ${HAS_OUTCOME}, process_tries = greatest(process_tries - 1, 0)`,
}

/** Schedules the bot's next attempt, if any file is missing, after this outcome of its claim. */
export async function processAt(db: Db, bot: BotId, seconds: number, outcome: keyof typeof RECORDING_OUTCOMES): Promise<void> {
  await sql`update bots set process_at = now() + make_interval(secs => ${seconds})${RECORDING_OUTCOMES[outcome]}
    where id = ${bot} and process_at is not null`.execute(db)
}

/** The outcome of a claim, when it is too late to schedule the next. */
export async function uncountRecordingClaim(db: Db, bot: BotId): Promise<void> {
  await sql`update bots set ${HAS_OUTCOME} where id = ${bot}`.execute(db)
}

/**
 * Schedules a recording that is not claimed. A claimed one keeps its lease. If another living node held the bot last, only that node does it,
 * because the end of the recording is on its disk.
 */
export async function waitForRecording(db: Db, bot: BotId, { seconds, nodeId }: { seconds: number; nodeId: string }): Promise<void> {
  await sql`update bots set process_at = now() + make_interval(secs => ${seconds})
    where id = ${bot} and process_at is not null and process_tries = 0
      and not exists (select from nodes where id = bots.recorded_by and id <> ${nodeId} and alive_until > now())`.execute(db)
}

/** A bot that never recorded has nothing to upload, so its processing need not wait. */
export async function processUnrecorded(db: Db, bot: BotId): Promise<void> {
  await sql`update bots set process_at = now() where id = ${bot} and process_at is not null and not timeline ? 'Recording'`.execute(db)
}

/** Those of the bots that are in a meeting, or whose files are still to be made. */
export async function unprocessed(db: Db, bots: readonly BotId[]): Promise<ReadonlySet<BotId>> {
  if (bots.length === 0) return new Set()
  return new Set(
    await idsOf<BotId>(db)`
    select id from bots where id = any(${bots}) and (process_at is not null or launch_at is not null)`,
  )
}

export async function processingOver(tx: Db, bot: BotId, delivered: Delivered): Promise<void> {
  await sql`update bots set process_at = null, process_unfinished = 0, delivered = ${JSON.stringify(delivered)}::jsonb
    where id = ${bot}`.execute(tx)
}

/** Lets an operator try the recording again. */
export async function noteGivenUp(tx: Db, bot: BotId, at: Date): Promise<void> {
  await sql`update bots set process_given_up_at = ${at} where id = ${bot}`.execute(tx)
}

/**
 * Schedules a recording that was given up as if it was new, also its failed transcript. The stage Done is removed, because the first entry of a
 * stage stays. False: there is no such bot, its recording was not given up, or its data was deleted.
 */
export function processGivenUp(tx: Db, bot: BotId): Promise<boolean> {
  return hasRow(tx)`
    with again as (
      update bots set process_at = now(), process_tries = 0, process_failures = 0, process_unfinished = 0, process_given_up_at = null,
        delivered = null, timeline = timeline - 'Done'
      where id = ${bot} and process_given_up_at is not null and erased_at is null returning transcript_id
    ), failed as (
      delete from transcriptions using again where transcriptions.id = transcript_id and status = 'Failed'
    )
    select from again`
}

export type Artefact = { readonly kind: ArtefactKind; readonly position: number; readonly key: string; readonly facts: JsonObject }

/** `deleted`: the bot's data was deleted, and nothing is stored. */
export async function keepArtefact(tx: Db, bot: BotId, artefact: Artefact, at: Date): Promise<'new' | 'known' | 'deleted'> {
  const { kind, position, key, facts } = artefact
  const kept = await firstRow<{ isNew: boolean }>(tx)`
    insert into artefacts (bot_id, kind, position, key, facts, created_at)
    select id, ${kind}, ${position}, ${key}, ${JSON.stringify(facts)}::jsonb, ${at} from bots
    where id = ${bot} and erased_at is null for share
    on conflict (bot_id, kind, position) do update set key = excluded.key, facts = excluded.facts
    returning xmax = 0 as "isNew"`
  if (!kept) return 'deleted'
  return kept.isNew ? 'new' : 'known'
}

export function listArtefacts(db: Db, bot: BotId, ...kinds: readonly ArtefactKind[]): Promise<Artefact[]> {
  return rowsOf<Artefact>(db)`
    select kind, position, key, facts from artefacts where bot_id = ${bot} and kind = any(${kinds}) order by position`
}
