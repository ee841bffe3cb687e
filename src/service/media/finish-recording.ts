// Ends the work on a recording: with all files, or with those that could be made. An operator can begin it again.
import { mediaAnnouncement } from '../../domain/announcements.ts'
import type { BotId, Delivered } from '../../domain/bot.ts'
import { listRecording } from '../../storage/store.ts'
import { refundAttendance } from '../accounts/credits.ts'
import type { Db } from '../db/database.ts'
import { addEvidence } from '../db/fleet/bots.ts'
import { type Artefact, type DueRecording, listArtefacts, noteGivenUp, processGivenUp, processingOver } from '../db/media/recordings.ts'
import { beginTranscription, nameTranscription, outcomeOfTranscription } from '../db/media/transcriptions.ts'
import { isBeingRead } from '../db/transfer/snapshot.ts'
import { announceEvent, atomically, type TransitionDeps, transition } from '../fleet/bot/transition.ts'
import { complete, deliveredMessage, NOTHING } from './complete.ts'
import { isLiveOnly, isRequested, type RecordingDeps } from './recording-job.ts'
import type { LiveTranscript } from './transcript/live-transcript.ts'
import { endRun, endWaiting } from './transcript/transcribe.ts'

export type Result = { readonly delivered: Delivered; readonly live: LiveTranscript | null }

/** Begins the requested transcript, which needs only the stored audio streams. False: none was requested, or it had begun. */
export async function beginTranscript(db: Db, bot: DueRecording, createdAt: Date): Promise<boolean> {
  const { id: botId, transcriptId, spec } = bot
  if (transcriptId === null || isLiveOnly(bot)) return false
  return beginTranscription(db, { id: transcriptId, botId, ...spec.transcript, callbackUrl: null, completesBot: true, createdAt })
}

/** Removes the recording, or leaves it to retention while a backup needs it. The bot is completed by the last of both: this work, or its transcript. */
export async function finish(deps: RecordingDeps, bot: DueRecording, { delivered: files, live }: Result): Promise<void> {
  const at = deps.now()
  const record = isLiveOnly(bot) ? live : null
  await atomically(deps, async (inside) => {
    await transition(inside, { bot: bot.id, by: 'processing_started', at, message: deliveredMessage(files) })
    if (files !== NOTHING) await beginTranscript(inside.db, bot, at)
    await endWaiting(inside, bot.id, at)
    const transcript = await outcomeOfTranscription(inside.db, bot.transcriptId)
    const delivered = { ...files, words: files.words + (transcript?.words ?? 0) }
    await processingOver(inside.db, bot.id, delivered)
    if (record) await nameTranscription(inside.db, bot.id, record.id)
    const hasTranscript = transcript?.status === 'Success' || (record !== null && record.error === null)
    if (transcript?.status !== 'Processing') await complete(inside, bot.id, { delivered, hasTranscript }, at)
  })
  if (!(await isBeingRead(deps.db))) await deps.store.remove(await listRecording(deps.store, bot.id))
}

/** After this many failures the recording is reported as failed. */
export const MOST_FAILURES = 6

/** The step under which a recording that was given up is stored as evidence. */
const STEP = 'process'

type Reason = { readonly code: 'processing_failed' | 'processing_crashed'; readonly message: string }

/**
 * Announces the missing files as failed and keeps those that were made. The error itself is only logged: it may name server folders. The
 * segments stay, so that an operator can try again.
 */
export async function giveUp(deps: RecordingDeps, bot: DueRecording, { code, message: reason }: Reason): Promise<void> {
  const at = deps.now()
  await atomically(deps, async (inside) => {
    const made = await listArtefacts(inside.db, bot.id, 'audio', 'video', 'audio_stream', 'video_stream', 'screen_stream')
    for (const kind of ['audio', 'video'] as const) {
      if (!bot.spec[kind] || made.some((artefact) => artefact.kind === kind)) continue
      const extra = { status: 'error', [`${kind}_status`]: 'Failed' }
      await announceEvent(inside, { bot: bot.id, announcement: mediaAnnouncement(kind, false), message: reason, at, extra })
    }
    await endWaiting(inside, bot.id, at)
    if (await beginTranscript(inside.db, bot, at))
      await endRun(
        inside,
        { ...bot.spec.transcript, id: bot.transcriptId ?? '', botId: bot.id, callbackUrl: null },
        { words: 0, error: reason, at },
      )
    await transition(inside, { bot: bot.id, by: 'processing_started', at })
    await processingOver(inside.db, bot.id, deliveredBy(bot, made))
    await noteGivenUp(inside.db, bot.id, at)
    await addEvidence(inside.db, bot.id, { at: at.toISOString(), step: STEP, message: reason, code, pageText: null, screenshot: null })
    if (made.length === 0) await refundAttendance(inside.db, bot.id, at)
    await transition(inside, { bot: bot.id, by: 'processing_finished', at, message: reason, extra: { status: 'error' } })
  })
}

/** False: there is no such bot, its recording was not given up, or its data was deleted. A bot that did not become Done keeps its status. */
export async function retryRecording(deps: TransitionDeps, bot: BotId, at: Date): Promise<boolean> {
  return atomically(deps, async (inside) => {
    if (!(await processGivenUp(inside.db, bot))) return false
    await transition(inside, { bot, by: 'processing_retried', at, message: 'The recording is processed again' })
    return true
  })
}

const STREAM_KINDS = { audio_stream: 'audio', video_stream: 'camera', screen_stream: 'screen' } as const

/** The facts were written by us, so their types are known. */
function deliveredBy({ spec }: DueRecording, made: readonly Artefact[]): Delivered {
  const factOf = (kind: Artefact['kind'], fact: string): number => Number(made.find((it) => it.kind === kind)?.facts[fact] ?? 0)
  const isSeparate = ({ kind }: Artefact): boolean =>
    kind in STREAM_KINDS && isRequested(spec, STREAM_KINDS[kind as keyof typeof STREAM_KINDS])
  return {
    ...NOTHING,
    audio_seconds: factOf('audio', 'durationMs') / 1000,
    video_seconds: factOf('video', 'durationMs') / 1000,
    segments: made.filter(isSeparate).length,
    heard_seconds: factOf('audio', 'audibleSeconds'),
  }
}
