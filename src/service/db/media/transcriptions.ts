// Runs of speech recognition: the queue, the claims and the outcomes.
import { sql } from 'kysely'
import type { BotId, Delivered, Evidence, JsonObject, WorkspaceId } from '../../../domain/bot.ts'
import type { ProviderName } from '../../../domain/speech-providers.ts'
import type { Db } from '../database.ts'
import { firstRow, firstValue, hasRow, rowsOf } from '../query.ts'
import { turnsIn, type WorkClaim } from './turns.ts'

export type NewTranscription = {
  readonly id: string
  readonly botId: BotId
  readonly provider: ProviderName
  readonly options: JsonObject
  readonly callbackUrl: string | null
  readonly completesBot: boolean
  readonly createdAt: Date
}

/** False: the bot's data was deleted, or the run exists. */
export function beginTranscription(tx: Db, run: NewTranscription): Promise<boolean> {
  const { id, botId, provider, options, callbackUrl, completesBot, createdAt } = run
  return hasRow(tx)`
    insert into transcriptions (id, bot_id, provider, options, status, callback_url, completes_bot, created_at, due_at)
    select ${id}, id, ${provider}, ${JSON.stringify(options)}::jsonb, 'Processing', ${callbackUrl}, ${completesBot}, ${createdAt}, now()
    from bots where id = ${botId} and erased_at is null for share
    on conflict (id) do nothing returning id`
}

type KeptTranscription = Pick<NewTranscription, 'id' | 'botId' | 'provider' | 'options'> & {
  readonly words: number
  readonly error: string | null
  readonly at: Date
}

/** Stores a transcript that was made during the meeting. False: the bot's data was deleted. */
export function keepTranscription(db: Db, { id, botId, provider, options, words, error, at }: KeptTranscription): Promise<boolean> {
  return hasRow(db)`
    insert into transcriptions (id, bot_id, provider, options, status, error, words, completes_bot, created_at, finished_at)
    select ${id}, id, ${provider}, ${JSON.stringify(options)}::jsonb, ${statusOf(error)}, ${error}, ${words}, false, ${at}, ${at}
    from bots where id = ${botId} and erased_at is null for share
    on conflict (id) do update set words = excluded.words returning id`
}

/** Makes the run the one that the bot's transcript_id names. */
export async function nameTranscription(tx: Db, bot: BotId, id: string): Promise<void> {
  await sql`update bots set transcript_id = ${id} where id = ${bot} and transcript_id is null`.execute(tx)
}

/** The step under which a live provider's failure is stored as evidence. */
export const LIVE_PROVIDER_STEP = 'live provider'

/** The last failure of the live provider; null: it did not fail. */
export async function liveFailureOf(db: Db, bot: BotId): Promise<string | null> {
  const row = await firstRow<{ evidence: readonly Evidence[] }>(db)`select evidence from bots where id = ${bot}`
  return row?.evidence.findLast(({ step }) => step === LIVE_PROVIDER_STEP)?.message ?? null
}

const statusOf = (error: string | null): Transcription['status'] => (error === null ? 'Success' : 'Failed')

export type DueTranscription = Omit<NewTranscription, 'createdAt'> & {
  readonly workspaceId: WorkspaceId
  /** The number of earlier claims that failed. */
  readonly failures: number
  /** The number of earlier claims without an outcome: their process ended during the work. */
  readonly unfinished: number
  /** The words of a transcript that is stored and waits for the audio; null: it is not recognised yet. */
  readonly recognisedWords: number | null
  /** An estimate of the CPU time that it takes. */
  readonly workSeconds: number
}

/** CPU seconds for a minute of a recording of four people, by the native provider. */
const SECONDS_PER_MINUTE = 3.6
const TURNS = turnsIn('transcriptions', {
  secondsPerMinute: sql`case when one.recognised_words is null then ${SECONDS_PER_MINUTE}::float8 else 0 end`,
  since: sql`one.created_at`,
})

/** Claims a due run for `leaseSeconds`. While its bot's recording is being processed, only the run that this processing began is due. */
export function claimTranscription(db: Db, { leaseSeconds, mostSeconds }: WorkClaim): Promise<DueTranscription | null> {
  return firstRow<DueTranscription>(db)`
    with due as (
      select one.id, bots.workspace_id, work.seconds from transcriptions as one join bots on bots.id = one.bot_id ${TURNS.from}
      where one.due_at <= now() and (bots.process_at is null or one.completes_bot) and ${TURNS.isWithin(mostSeconds)}
      order by ${TURNS.order}, one.id limit 1 for update of one skip locked
    ), turn as (${TURNS.take})
    update transcriptions as run set due_at = now() + make_interval(secs => ${leaseSeconds}), unfinished = unfinished + 1
    from due where run.id = due.id
    returning run.id, run.bot_id as "botId", due.workspace_id as "workspaceId", run.provider, run.options, run.callback_url as "callbackUrl",
      run.completes_bot as "completesBot", run.failures, run.unfinished - 1 as unfinished,
      run.recognised_words as "recognisedWords", due.seconds as "workSeconds"`
}

/** The claim has an outcome. */
const HAS_OUTCOME = sql`unfinished = greatest(unfinished - 1, 0)`

const TRANSCRIPTION_OUTCOMES = {
  /** The claim is renewed. */
  none: sql``,
  failed: sql`, ${HAS_OUTCOME}, failures = failures + 1`,
  /** It ended for an unrelated reason. */
  uncounted: sql`, ${HAS_OUTCOME}`,
}

/** Schedules the next attempt of a run that has not ended, after this outcome of its claim. */
export async function transcribeAt(db: Db, id: string, seconds: number, outcome: keyof typeof TRANSCRIPTION_OUTCOMES): Promise<void> {
  await sql`update transcriptions set due_at = now() + make_interval(secs => ${seconds})${TRANSCRIPTION_OUTCOMES[outcome]}
    where id = ${id} and due_at is not null`.execute(db)
}

/** The outcome of a claim, when it is too late to schedule the next. */
export async function uncountTranscriptionClaim(db: Db, id: string): Promise<void> {
  await sql`update transcriptions set ${HAS_OUTCOME} where id = ${id}`.execute(db)
}

type Recognised = { readonly id: string; readonly botId: BotId; readonly words: number }

/** Lets a recognised run wait while the audio of its bot is being made. It is due again after `seconds`. False: it need not wait. */
export async function waitForAudio(tx: Db, { id, botId, words }: Recognised, seconds: number): Promise<boolean> {
  // The lock comes first, so that the next statement sees the audio of a transaction that it waited for.
  await sql`select from bots where id = ${botId} for no key update`.execute(tx)
  return hasRow(tx)`
    update transcriptions set recognised_words = ${words}, due_at = now() + make_interval(secs => ${seconds}), ${HAS_OUTCOME}
    where id = ${id} and status = 'Processing'
      and exists (select from bots where id = ${botId} and erased_at is null and process_at is not null and (spec->>'audio')::boolean)
      and not exists (select from artefacts where bot_id = ${botId} and kind = 'audio') returning id`
}

type WaitingRun = Pick<DueTranscription, 'id' | 'botId' | 'provider' | 'callbackUrl'> & { readonly words: number }

/** The run of this bot that waits for the audio. */
export function runWaitingForAudio(tx: Db, bot: BotId): Promise<WaitingRun | null> {
  return firstRow<WaitingRun>(tx)`
    select id, bot_id as "botId", provider, callback_url as "callbackUrl", recognised_words as words
    from transcriptions where bot_id = ${bot} and status = 'Processing' and recognised_words is not null`
}

type Ending = { readonly id: string; readonly botId: BotId; readonly words: number; readonly error: string | null; readonly at: Date }

/** False: it has ended before, or the bot's data was deleted. */
export async function endTranscription(tx: Db, { id, botId, words, error, at }: Ending): Promise<boolean> {
  // Locks the bot first, in the order of a deletion, to avoid a deadlock.
  if (!(await hasRow(tx)`select from bots where id = ${botId} and erased_at is null for no key update`)) return false
  return hasRow(tx)`
    update transcriptions set status = ${statusOf(error)}, error = ${error}, words = ${words}, finished_at = ${at}, due_at = null
    where id = ${id} and status = 'Processing' returning id`
}

type TranscriptionOutcome = Pick<Transcription, 'status'> & { readonly words: number }

/** Null: there is no such run. */
export function outcomeOfTranscription(tx: Db, id: string | null): Promise<TranscriptionOutcome | null> {
  return firstRow<TranscriptionOutcome>(tx)`select status, words from transcriptions where id = ${id}`
}

/** Adds the transcript to the bot's delivered artefacts and returns all of them. Null: its recording is still being processed. */
export function countDelivered(tx: Db, bot: BotId, words: number): Promise<Delivered | null> {
  return firstValue<Delivered>(tx)`
    update bots set delivered = delivered || jsonb_build_object('words', ${words}::integer)
    where id = ${bot} and delivered is not null returning delivered`
}

export type Transcription = Pick<NewTranscription, 'id' | 'botId' | 'provider' | 'options' | 'createdAt'> & {
  readonly status: 'Processing' | 'Success' | 'Failed'
  readonly error: string | null
}

const FIELDS = sql`run.id, run.bot_id as "botId", run.provider, run.options, run.status, run.error, run.created_at as "createdAt"`

export function findTranscription(db: Db, workspace: WorkspaceId, id: string): Promise<Transcription | null> {
  return firstRow<Transcription>(db)`
    select ${FIELDS} from transcriptions as run join bots on bots.id = run.bot_id
    where run.id = ${id} and bots.workspace_id = ${workspace} and bots.erased_at is null`
}

/** The newest that succeeded, or else the newest. */
export function bestTranscription(db: Db, bot: BotId): Promise<Transcription | null> {
  return firstRow<Transcription>(db)`
    select ${FIELDS} from transcriptions as run where run.bot_id = ${bot}
    order by (run.status = 'Success') desc, run.created_at desc, run.id desc limit 1`
}

/** Oldest first. */
export function listTranscriptions(db: Db, bot: BotId): Promise<Transcription[]> {
  return rowsOf<Transcription>(db)`
    select ${FIELDS} from transcriptions as run where run.bot_id = ${bot} order by run.created_at, run.id`
}
