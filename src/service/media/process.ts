// After the call: from a recording to everything that was promised of it, in steps that can each be repeated.
import { madeOf } from '../../domain/announcements.ts'
import type { BotId, BotSpec, Delivered, JsonObject } from '../../domain/bot.ts'
import type { Stage } from '../../domain/lifecycle.ts'
import { worksLive } from '../../domain/speech-providers.ts'
import { contentTypeOf, mediaKey, type ObjectStore, recordingPrefix } from '../../storage/store.ts'
import { refundAttendance } from '../accounts/credits.ts'
import { type Db, inTransaction } from '../db/database.ts'
import { listParticipants } from '../db/meetings.ts'
import { recorderIsAway } from '../db/nodes.ts'
import { type ArtefactKind, type DueRecording, keepArtefact, processingOver } from '../db/recordings.ts'
import { beginTranscription, nameTranscription } from '../db/transcriptions.ts'
import { note, type TransitionDeps, tellOf, together, transition } from '../fleet/transition.ts'
import { complete, NOTHING, sentence } from './complete.ts'
import { composeVideo } from './compose.ts'
import type { Workshop } from './ffmpeg.ts'
import { writeFileWhole } from './finished.ts'
import { keepLiveWords, type LiveRecord } from './live-record.ts'
import { type MixedAudio, mixAudio } from './mix.ts'
import { ofStore } from './not-now.ts'
import { type MediaPlan, planMedia } from './plan.ts'
import { speakerTimeline } from './speaker-timeline.ts'
import { makeStreams, type StreamFile } from './streams.ts'
import { endRun } from './transcribe.ts'
import { openWorkbench, type Workbench } from './workbench.ts'

export type ProcessDeps = TransitionDeps & {
  readonly store: ObjectStore
  /** Where recordings are worked at. */
  readonly folder: string
  readonly now: () => Date
  readonly threads: number
}

/** `waits`: its recording is not in the store yet. */
export async function processRecording(deps: ProcessDeps, bot: DueRecording, signal: AbortSignal): Promise<'done' | 'waits'> {
  const bench = await openWorkbench(deps.store, deps.folder, bot.id, signal)
  if (!bench) {
    if (bot.wasRecording && (bot.tries < LAST_TRY || (await recorderIsAway(deps.db, bot.id)))) return 'waits'
    await finish(deps, bot, { delivered: NOTHING, live: null })
    return 'done'
  }
  await transition(deps, { bot: bot.id, by: 'processing_started', at: deps.now() })
  const job: Job = { deps, bot, bench, plan: await planOf(deps, bot.id, bench), workshop: { threads: deps.threads, signal } }
  await finish(deps, bot, await makeAll(job))
  await bench.clear()
  return 'done'
}

/** The recording itself is not needed any more once everything has been made of it. A promised transcript comes last, from its streams. */
async function finish(deps: ProcessDeps, bot: DueRecording, { delivered, live }: Brought): Promise<void> {
  const at = deps.now()
  const record = isLiveOnly(bot) ? live : null
  await together(deps, async (inside) => {
    await transition(inside, { bot: bot.id, by: 'processing_started', at, message: sentence(delivered) })
    await processingOver(inside.db, bot.id, delivered)
    if (record) await nameTranscription(inside.db, bot.id, record.id)
    const hasTranscript = record !== null && record.error === null
    if (delivered === NOTHING || !(await expectTranscript(inside.db, bot, at)))
      await complete(inside, bot.id, { delivered, hasTranscript }, at)
  })
  await deps.store.remove(await deps.store.list(recordingPrefix(bot.id)))
}

type Brought = { readonly delivered: Delivered; readonly live: LiveRecord | null }

/** Its live words are its transcript. */
const isLiveOnly = ({ spec }: DueRecording): boolean => worksLive(spec.transcript.provider)

/** False: none was promised. */
async function expectTranscript(tx: Db, bot: DueRecording, createdAt: Date): Promise<boolean> {
  const { id: botId, transcriptId, spec } = bot
  if (transcriptId === null || isLiveOnly(bot)) return false
  return beginTranscription(tx, { id: transcriptId, botId, ...spec.transcript, callbackUrl: null, completesBot: true, createdAt })
}

/** After this many tries the truth is told: it could not be made. */
export const LAST_TRY = 6

/** Gives up: what was made stays, what was not is told as failed. Why is for the operator: it may name folders of the server. */
export async function giveUp(deps: ProcessDeps, bot: DueRecording): Promise<void> {
  const at = deps.now()
  const reason = `The recording could not be processed in ${LAST_TRY} tries`
  await together(deps, async (inside) => {
    for (const what of ['audio', 'video'] as const) {
      if (!bot.spec[what]) continue
      const extra = { status: 'error', [`${what}_status`]: 'Failed' }
      await tellOf(inside, { bot: bot.id, announcement: madeOf(what, false), message: reason, at, extra })
    }
    if (await expectTranscript(inside.db, bot, at))
      await endRun(
        inside,
        { ...bot.spec.transcript, id: bot.transcriptId ?? '', botId: bot.id, callbackUrl: null },
        { words: 0, error: reason, at },
      )
    await transition(inside, { bot: bot.id, by: 'processing_started', at })
    await processingOver(inside.db, bot.id, NOTHING)
    await refundAttendance(inside.db, bot.id, at)
    await transition(inside, {
      bot: bot.id,
      by: 'processing_finished',
      at,
      message: reason,
      extra: { status: 'error' },
    })
  })
}

type Job = {
  readonly deps: ProcessDeps
  readonly bot: DueRecording
  readonly bench: Workbench
  readonly plan: MediaPlan
  readonly workshop: Workshop
}

async function planOf({ db }: ProcessDeps, botId: BotId, { manifest }: Workbench): Promise<MediaPlan> {
  const { startedAt } = planMedia(manifest)
  const people = await listParticipants(db, botId)
  const since = (moment: Date) => Math.max(0, moment.getTime() - (startedAt ?? moment.getTime()))
  return planMedia(
    manifest,
    people.map(({ id, name, joinedAt, leftAt, updatedAt }) => ({
      id,
      name,
      present: [{ fromMs: since(joinedAt), toMs: since(leftAt ?? updatedAt) }],
    })),
  )
}

async function makeAll(job: Job): Promise<Brought> {
  const { bot, bench, plan, workshop } = job
  const { spec } = bot
  await reach(job, 'AudioProcessing')
  const audio = await mixAudio(workshop, { ...bench, plan })
  const video = spec.video ? await makeVideo(job, audio) : null
  const streams = await makeStreams(workshop, { ...bench, plan, kinds: wantedKinds(job) })
  await reach(job, 'Uploading')
  if (spec.audio) await keep(job, { kind: 'audio', position: 0, file: audio.file, facts: factsOf(audio) })
  if (video) await keep(job, { kind: 'video', position: 0, file: video.file, facts: factsOf(video) })
  for (const [position, stream] of streams.entries()) {
    const { participantId, participantName } = stream
    // Words are told by the time of day, too, and the recording itself is gone by then.
    const recordedAt = plan.startedAt === null ? null : new Date(plan.startedAt).toISOString()
    await keep(job, {
      kind: KINDS[stream.kind],
      position,
      file: stream.file,
      facts: { ...factsOf(stream), participantId, participantName, recordedAt },
    })
  }
  await keepTimeline(job)
  const live = await keepLiveWords(job.deps, bot, bench.manifest)
  const delivered = {
    audio_seconds: spec.audio ? audio.durationMs / 1000 : 0,
    video_seconds: video ? video.durationMs / 1000 : 0,
    segments: streams.filter(({ kind }) => isAsked(spec, kind)).length,
    // A promised transcript counts its own.
    words: live && isLiveOnly(bot) ? live.words : 0,
    heard_seconds: audio.heardSeconds,
  }
  return { delivered, live }
}

const KINDS: Readonly<Record<StreamFile['kind'], ArtefactKind>> = { audio: 'audio_stream', camera: 'video_stream', screen: 'screen_stream' }

/** Voices are always kept apart: transcripts are made from them, also later and again. */
function wantedKinds({ bot: { spec } }: Job): readonly StreamFile['kind'][] {
  return (['audio', 'camera', 'screen'] as const).filter((kind) => kind === 'audio' || isAsked(spec, kind))
}

function isAsked(spec: BotSpec, kind: StreamFile['kind']): boolean {
  return kind === 'audio' ? spec.audio && spec.separateAudio : spec.video && spec.separateVideo
}

async function makeVideo(job: Job, audio: MixedAudio) {
  await reach(job, 'VideoProcessing')
  return composeVideo(job.workshop, { ...job.bench, plan: job.plan, view: job.bot.spec.layout, audio })
}

async function keepTimeline(job: Job): Promise<void> {
  const file = `${job.bench.output}/speaker-timeline.json`
  await writeFileWhole(file, JSON.stringify(speakerTimeline(job.bench.manifest, job.plan)))
  const { pauses, gaps } = job.plan
  await keep(job, { kind: 'speaker_timeline', position: 0, file, facts: { pauses, gaps } })
}

const reach = ({ deps, bot }: Job, stage: Stage) => note(deps, { bot: bot.id, stage, at: deps.now() })

type Made = { readonly kind: ArtefactKind; readonly position: number; readonly file: string; readonly facts: JsonObject }

/** In the store first, then in the books, and told once. */
async function keep({ deps, bot, workshop }: Job, { kind, position, file, facts }: Made): Promise<void> {
  const name = file.slice(file.lastIndexOf('/') + 1)
  // A browser tells sound from pictures by the ending.
  const key = mediaKey(bot.id, kind === 'audio_stream' ? name.replace(/\.webm$/, '.weba') : name)
  await ofStore(deps.store.put(key, { file }, { contentType: contentTypeOf(key), ...(workshop.signal && { signal: workshop.signal }) }))
  const at = deps.now()
  const kept = await inTransaction(deps.db, async (tx) => {
    const how = await keepArtefact(tx, bot.id, { kind, position, key, facts }, at)
    if (how !== 'new' || (kind !== 'audio' && kind !== 'video')) return how
    const extra = { status: 'success', [`${kind}_status`]: 'Success' }
    await tellOf({ ...deps, db: tx }, { bot: bot.id, announcement: madeOf(kind, true), message: `The ${kind} is ready`, at, extra })
    return how
  })
  if (kept === 'deleted') await deps.store.remove([key])
  deps.onNews()
}

function factsOf({ file: _, ...facts }: MixedAudio | StreamFile | Awaited<ReturnType<typeof composeVideo>>): JsonObject {
  return facts
}
