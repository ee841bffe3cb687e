// One transcription: everybody's own sound is listened to, put in order, kept, and told once. Each voice that was heard stays heard.
import { mkdir, readFile, rm } from 'node:fs/promises'
import path from 'node:path'
import { madeOf } from '../../domain/announcements.ts'
import type { WorkspaceId } from '../../domain/bot.ts'
import type { ProviderName } from '../../domain/speech-providers.ts'
import { countWords, turnsOf, type Voice } from '../../domain/transcript.ts'
import { type Heard, type Recogniser, SpeechFailed } from '../../speech/provider.ts'
import type { ObjectStore } from '../../storage/store.ts'
import { type Artefact, listArtefacts } from '../db/recordings.ts'
import { countDelivered, type DueTranscription, endTranscription } from '../db/transcriptions.ts'
import { note, type TransitionDeps, tellOf, together } from '../fleet/transition.ts'
import { complete } from './complete.ts'
import { writeFileWhole } from './finished.ts'
import { segmentsOf, storeTranscript, transcriptKeys } from './transcript-file.ts'
import { fetchObject } from './workbench.ts'

export type TranscribeDeps = TransitionDeps & {
  readonly store: ObjectStore
  /** Where voices are listened to. */
  readonly folder: string
  readonly now: () => Date
  /** Null where the provider does not work after the call, or there is no key for it. */
  readonly recogniserOf: (provider: ProviderName, workspace: WorkspaceId) => Promise<Recogniser | null>
}

type Stream = {
  readonly key: string
  readonly id: string
  readonly name: string
  readonly startMs: number
  readonly durationMs: number
  readonly recordedAt: string | null
}
type HeardStream = { readonly stream: Stream; readonly heard: Heard }

/** Rejects with `SpeechFailed` where the provider cannot, or will not. */
export async function transcribe(deps: TranscribeDeps, run: DueTranscription, signal: AbortSignal): Promise<void> {
  const streams = (await listArtefacts(deps.db, run.botId, 'audio_stream')).map(streamOf)
  const all: HeardStream[] = []
  for (const [position, stream] of streams.entries()) all.push({ stream, heard: await hear(deps, run, { stream, position }, signal) })

  const turns = turnsOf(all.map(voiceOf))
  const keys = transcriptKeys(run.botId, run.id)
  await storeTranscript(deps.store, keys, { processed: segmentsOf(turns, streams[0]?.recordedAt ?? null), raw: all.map(rawOf) })
  const isKept = await end(deps, run, { words: countWords(turns), error: null })
  if (!isKept) await deps.store.remove([keys.processed, keys.raw])
}

/** It will not be made; the bot is done without. */
export async function giveUpTranscription(deps: TranscribeDeps, run: DueTranscription, error: string): Promise<void> {
  await end(deps, run, { words: 0, error })
}

async function end(deps: TranscribeDeps, run: DueTranscription, outcome: Omit<Outcome, 'at'>): Promise<boolean> {
  const at = deps.now()
  const isEnded = await together(deps, async (inside) => {
    if (!(await endRun(inside, run, { ...outcome, at }))) return false
    const delivered = run.completesBot ? await countDelivered(inside.db, run.botId, outcome.words) : null
    if (delivered) await complete(inside, run.botId, { delivered, hasTranscript: outcome.error === null }, at)
    return true
  })
  await rm(folderOf(deps, run), { recursive: true, force: true })
  return isEnded
}

type Run = Pick<DueTranscription, 'id' | 'botId' | 'provider' | 'callbackUrl'>
type Outcome = { readonly words: number; readonly error: string | null; readonly at: Date }

/** Writes how a run ended and tells of it, once. False: it was over before, or the bot's data is gone. */
export async function endRun(inside: TransitionDeps, run: Run, { words, error, at }: Outcome): Promise<boolean> {
  const { id, botId: bot, provider, callbackUrl } = run
  if (!(await endTranscription(inside.db, { id, botId: bot, words, error, at }))) return false
  const message = error ?? `The transcript is ready: ${words} words`
  const extra = { transcript_status: error === null ? 'Success' : 'Failed', provider }
  const about = { transcriptId: id, ...(callbackUrl !== null && { callbackUrl }) }
  await tellOf(inside, { bot, announcement: madeOf('transcription', error === null), message, at, extra, about })
  if (error === null) await note(inside, { bot, stage: 'TranscriptionReady', at, about })
  return true
}

type Order = { readonly stream: Stream; readonly position: number }

/** What was heard before a failure of another voice, or before a crash, is not listened to again. */
async function hear(deps: TranscribeDeps, run: DueTranscription, { stream, position }: Order, signal: AbortSignal): Promise<Heard> {
  const folder = folderOf(deps, run)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const note = path.join(folder, `${position}.json`)
  const before = await readFile(note, 'utf8').catch(() => null)
  if (before !== null) return JSON.parse(before)

  const recogniser = await deps.recogniserOf(run.provider, run.workspaceId)
  if (!recogniser) throw new SpeechFailed(`${run.provider} is not configured on this server.`, { passing: false })
  const file = path.join(folder, stream.key.slice(stream.key.lastIndexOf('/') + 1))
  await fetchObject(deps.store, stream.key, file, signal)
  const heard = await recogniser.transcribe({ file, seconds: stream.durationMs / 1000 }, run.options, signal)
  await writeFileWhole(note, JSON.stringify(heard))
  await rm(file)
  return heard
}

/** Under the bot's own name, so that it goes with the bot's data. */
function folderOf({ folder }: TranscribeDeps, { botId, id }: DueTranscription): string {
  return path.join(folder, botId, id)
}

/** Only what we wrote ourselves is in the books. */
function streamOf({ key, facts }: Artefact): Stream {
  const { participantId, participantName, startMs, durationMs, recordedAt } = facts as {
    readonly [name in 'participantId' | 'participantName']: string
  } & { readonly [name in 'startMs' | 'durationMs']: number } & { readonly recordedAt: string | null }
  return { key, id: participantId, name: participantName, startMs, durationMs, recordedAt }
}

function voiceOf({ stream, heard }: HeardStream): Voice {
  return { speakerId: stream.id, speaker: stream.name, startSeconds: stream.startMs / 1000, utterances: heard.utterances }
}

function rawOf({ stream, heard }: HeardStream): object {
  return { participant_id: stream.id, participant_name: stream.name, start_offset: stream.startMs / 1000, answer: heard.raw }
}
