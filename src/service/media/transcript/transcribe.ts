// Runs one transcription: recognises each participant's audio, merges the turns, stores them and announces the result once.
import { mkdir, readFile, rm } from 'node:fs/promises'
import path from 'node:path'
import { mediaAnnouncement } from '../../../domain/announcements.ts'
import type { BotId, WorkspaceId } from '../../../domain/bot.ts'
import type { ProviderName } from '../../../domain/speech-providers.ts'
import { countWords, turnsOf, type Voice } from '../../../domain/transcript.ts'
import { type Recogniser, type Recognition, SpeechFailed } from '../../../speech/provider.ts'
import type { ObjectStore } from '../../../storage/store.ts'
import { type Artefact, listArtefacts } from '../../db/media/recordings.ts'
import { countDelivered, type DueTranscription, endTranscription, runWaitingForAudio, waitForAudio } from '../../db/media/transcriptions.ts'
import { addStage, announceEvent, atomically, type TransitionDeps } from '../../fleet/bot/transition.ts'
import { complete } from '../complete.ts'
import { writeFileAtomically } from '../file-cache.ts'
import { fetchObject } from '../work-folder.ts'
import { apiTurns, storeTranscript, transcriptKeys } from './transcript-file.ts'

export type TranscribeDeps = TransitionDeps & {
  readonly store: ObjectStore
  /** Holds the fetched audio, and the results that a repeated run reuses. */
  readonly folder: string
  readonly now: () => Date
  /** Null: the provider does not work after the call, or has no key. */
  readonly recogniserOf: (provider: ProviderName, workspace: WorkspaceId) => Promise<Recogniser | null>
}

/** The facts were written by us, so their types are known. */
type StreamFacts = {
  readonly participantId: string
  readonly participantName: string
  readonly startMs: number
  readonly durationMs: number
  readonly recordedAt: string | null
}
type Stream = StreamFacts & { readonly key: string }
type RecognisedStream = { readonly stream: Stream; readonly recognition: Recognition }

/** The end of the audio's work ends the run too. This is for a node that died in between, or does not know such runs. */
const LOOK_AGAIN_SECONDS = 30

/** Rejects with `SpeechFailed` if the provider fails or refuses. */
export async function transcribe(deps: TranscribeDeps, run: DueTranscription, signal: AbortSignal): Promise<void> {
  if (run.recognisedWords !== null) return void (await end(deps, run, { words: run.recognisedWords, error: null }))
  const streams = (await listArtefacts(deps.db, run.botId, 'audio_stream')).map(streamOf)
  const all: RecognisedStream[] = []
  for (const [position, stream] of streams.entries())
    all.push({ stream, recognition: await recogniseStream(deps, run, { stream, position }, signal) })

  const turns = turnsOf(all.map(voiceOf))
  const keys = transcriptKeys(run.botId, run.id)
  await storeTranscript(deps.store, keys, { processed: apiTurns(turns, streams[0]?.recordedAt ?? null), raw: all.map(rawOf) })
  const isKept = await end(deps, run, { words: countWords(turns), error: null })
  if (!isKept) await deps.store.remove([keys.processed, keys.raw])
}

/** Ends the run as failed. The bot completes without this transcript. */
export async function giveUpTranscription(deps: TranscribeDeps, run: DueTranscription, error: string): Promise<void> {
  await end(deps, run, { words: 0, error })
}

async function end(deps: TranscribeDeps, run: DueTranscription, outcome: Omit<Outcome, 'at'>): Promise<boolean> {
  const at = deps.now()
  const isEnded = await atomically(deps, async (inside) => {
    if (await waits(inside, run, outcome)) return true
    if (!(await endRun(inside, run, { ...outcome, at }))) return false
    const delivered = run.completesBot ? await countDelivered(inside.db, run.botId, outcome.words) : null
    if (delivered) await complete(inside, run.botId, { delivered, hasTranscript: outcome.error === null }, at)
    return true
  })
  await rm(folderOf(deps, run), { recursive: true, force: true })
  return isEnded
}

/** A transcript that is ready before the audio is announced after it. */
async function waits(
  { db }: TransitionDeps,
  { id, botId, completesBot }: DueTranscription,
  outcome: Omit<Outcome, 'at'>,
): Promise<boolean> {
  if (!completesBot || outcome.error !== null) return false
  return waitForAudio(db, { id, botId, words: outcome.words }, LOOK_AGAIN_SECONDS)
}

/** Ends the run that waited for the bot's audio, which is announced or has failed now. */
export async function endWaiting(inside: TransitionDeps, bot: BotId, at: Date): Promise<void> {
  const run = await runWaitingForAudio(inside.db, bot)
  if (run) await endRun(inside, run, { words: run.words, error: null, at })
}

type Run = Pick<DueTranscription, 'id' | 'botId' | 'provider' | 'callbackUrl'>
type Outcome = { readonly words: number; readonly error: string | null; readonly at: Date }

/** Writes and announces the outcome of a run once. False: the run had ended before, or the bot's data was deleted. */
export async function endRun(inside: TransitionDeps, run: Run, { words, error, at }: Outcome): Promise<boolean> {
  const { id, botId: bot, provider, callbackUrl } = run
  if (!(await endTranscription(inside.db, { id, botId: bot, words, error, at }))) return false
  const message = error ?? `The transcript is ready: ${words} words`
  const extra = { transcript_status: error === null ? 'Success' : 'Failed', provider }
  const about = { transcriptId: id, ...(callbackUrl !== null && { callbackUrl }) }
  await announceEvent(inside, { bot, announcement: mediaAnnouncement('transcription', error === null), message, at, extra, about })
  if (error === null) await addStage(inside, { bot, stage: 'TranscriptionReady', at, about })
  return true
}

type StreamPosition = { readonly stream: Stream; readonly position: number }

/** Reuses the result that an earlier try of this run stored for this stream. */
async function recogniseStream(
  deps: TranscribeDeps,
  run: DueTranscription,
  { stream, position }: StreamPosition,
  signal: AbortSignal,
): Promise<Recognition> {
  const folder = folderOf(deps, run)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const cached = path.join(folder, `${position}.json`)
  const before = await readFile(cached, 'utf8').catch(() => null)
  if (before !== null) return JSON.parse(before)

  const recogniser = await deps.recogniserOf(run.provider, run.workspaceId)
  if (!recogniser) throw new SpeechFailed(`${run.provider} is not configured on this server. Set its API key.`, { retryable: false })
  const file = path.join(folder, stream.key.slice(stream.key.lastIndexOf('/') + 1))
  await fetchObject(deps.store, stream.key, file, signal)
  const recognition = await recogniser.transcribe({ file, seconds: stream.durationMs / 1000 }, run.options, signal)
  await writeFileAtomically(cached, JSON.stringify(recognition))
  await rm(file)
  return recognition
}

/** Inside the bot's folder, so that deleting the bot's data removes it. */
function folderOf({ folder }: TranscribeDeps, { botId, id }: DueTranscription): string {
  return path.join(folder, botId, id)
}

function streamOf({ key, facts }: Artefact): Stream {
  return { ...(facts as StreamFacts), key }
}

function voiceOf({ stream, recognition }: RecognisedStream): Voice {
  return {
    speakerId: stream.participantId,
    speaker: stream.participantName,
    startSeconds: stream.startMs / 1000,
    utterances: recognition.utterances,
  }
}

function rawOf({ stream, recognition }: RecognisedStream): object {
  const { participantId, participantName, startMs } = stream
  return { participant_id: participantId, participant_name: participantName, start_offset: startMs / 1000, answer: recognition.raw }
}
