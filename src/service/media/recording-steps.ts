// Makes all requested files of a recording after the call, in steps that can each be repeated.
import type { Stage } from '../../domain/lifecycle.ts'
import { recorderIsAway } from '../db/fleet/nodes.ts'
import type { DueRecording } from '../db/media/recordings.ts'
import { addStage, transition } from '../fleet/bot/transition.ts'
import type { StepEnded } from '../fleet/fleet-events.ts'
import { alongside } from './alongside.ts'
import { type MixedAudio, mixAudio } from './audio/mixed-audio.ts'
import { NOTHING } from './complete.ts'
import { beginTranscript, finish, type Result } from './finish-recording.ts'
import { planMeeting } from './meeting-plan.ts'
import { isLiveOnly, isRequested, type Job, type RecordingDeps } from './recording-job.ts'
import { storeMixed, storeStreams } from './store-files.ts'
import { makeStreams, type StreamFile } from './streams.ts'
import { timedStep } from './timed-step.ts'
import { storeLiveTranscript } from './transcript/live-transcript.ts'
import { type ComposedVideo, composeVideo, piecesFolder } from './video/compose.ts'
import { openStoredPieces } from './video/stored-pieces.ts'
import { openWorkFolder } from './work-folder.ts'

/** A recording that is not in the store after this many claims never comes, unless its recorder is away. */
const LAST_LOOK = 6

/** `waits`: the recording is not in the store yet. */
export async function processRecording(deps: RecordingDeps, bot: DueRecording, signal: AbortSignal): Promise<'done' | 'waits'> {
  const work = await openWorkFolder(deps.store, { folder: deps.folder, botId: bot.id, extent: 'everything' }, signal)
  if (!work) {
    if (bot.wasRecording && (bot.claims < LAST_LOOK || (await recorderIsAway(deps.db, bot.id)))) return 'waits'
    await finish(deps, bot, { delivered: NOTHING, live: null })
    return 'done'
  }
  await transition(deps, { bot: bot.id, by: 'processing_started', at: deps.now() })
  const plan = await planMeeting(deps.db, bot.id, work.manifest, { isRunning: false })
  const job: Job = { deps, bot, work, plan, ffmpegOptions: { signal } }
  await finish(deps, bot, await makeAll(job))
  await work.clear()
  return 'done'
}

/** The video takes longest, so everything else is stored, announced and transcribed while it is made. */
async function makeAll(job: Job): Promise<Result> {
  const { bot, work, plan, ffmpegOptions } = job
  await announceStage(job, 'AudioProcessing')
  if (bot.spec.video) await announceStage(job, 'VideoProcessing')
  const mixing = timed(job, 'audio', () => mixAudio(ffmpegOptions, { ...work, plan }))
  const [sound, video] = await alongside(
    () => deliverSound(job, mixing),
    (stopping) => makeVideo(job, mixing, stopping),
  )
  if (video) await timed(job, 'upload', () => storeMixed(job, 'video', video))
  return { delivered: deliveredOf(job, sound, video), live: sound.live }
}

type Sound = Awaited<ReturnType<typeof deliverSound>>

/** Everything but the video of all participants. Both run to their ends, because a repeated step would write to their files. */
async function deliverSound(job: Job, mixing: Promise<MixedAudio>) {
  const both = [deliverStreams(job), deliverAudio(job, mixing)] as const
  await Promise.allSettled(both)
  const [streams, audio] = await Promise.all(both)
  return { ...streams, audio }
}

/** The transcript needs only the streams, which are copied in seconds. */
async function deliverStreams(job: Job) {
  const { deps, bot, work, plan, ffmpegOptions } = job
  const streams = await timed(job, 'streams', () => makeStreams(ffmpegOptions, { ...work, plan, kinds: wantedKinds(job) }))
  await announceStage(job, 'Uploading')
  await timed(job, 'upload', () => storeStreams(job, streams))
  const live = await storeLiveTranscript(deps, bot, work.manifest)
  await beginTranscript(deps.db, bot, deps.now())
  return { streams, live }
}

async function deliverAudio(job: Job, mixing: Promise<MixedAudio>): Promise<MixedAudio> {
  const audio = await mixing
  if (job.bot.spec.audio) await timed(job, 'upload', () => storeMixed(job, 'audio', audio))
  return audio
}

/** Null: no video was requested. */
async function makeVideo(job: Job, audio: Promise<MixedAudio>, stopping: AbortSignal): Promise<ComposedVideo | null> {
  const { deps, bot, work, plan, ffmpegOptions } = job
  if (!bot.spec.video) return null
  const signal = ffmpegOptions.signal ? AbortSignal.any([ffmpegOptions.signal, stopping]) : stopping
  let isMixing = true
  void audio
    .catch(() => undefined)
    .then(() => {
      isMixing = false
    })
  // One core is for the audio until it is ready.
  const atOnce = () => Math.max(1, deps.piecesAtOnce() - (isMixing ? 1 : 0))
  const onRetry = (error: unknown) =>
    deps.log.warn({ err: error, botId: bot.id }, 'the video could not be copied, or encoded by hardware; it is encoded by x264')
  const pieces = openStoredPieces({ ...deps, botId: bot.id, folder: piecesFolder(work.output, bot.spec.layout) })
  const onEncoded = () => pieces.storeSometimes(signal)
  const order = { ...work, plan, view: bot.spec.layout, audio, atOnce, inTurn: deps.inTurn, encoder: deps.encoder, onRetry, onEncoded }
  return timed(job, 'video', async () => {
    await pieces.fetch(signal)
    return composeVideo({ signal }, order)
  })
}

function deliveredOf({ bot }: Job, { audio, streams, live }: Sound, video: ComposedVideo | null): Result['delivered'] {
  const { spec } = bot
  return {
    audio_seconds: spec.audio ? audio.durationMs / 1000 : 0,
    video_seconds: video ? video.durationMs / 1000 : 0,
    segments: streams.filter(({ kind }) => isRequested(spec, kind)).length,
    // A transcription run counts its own words.
    words: live && isLiveOnly(bot) ? live.words : 0,
    heard_seconds: audio.audibleSeconds,
  }
}

/** Separate audio is always stored, because later transcriptions use it. */
function wantedKinds({ bot: { spec } }: Job): readonly StreamFile['kind'][] {
  return (['audio', 'camera', 'screen'] as const).filter((kind) => kind === 'audio' || isRequested(spec, kind))
}

const announceStage = ({ deps, bot }: Job, stage: Stage) => addStage(deps, { bot: bot.id, stage, at: deps.now() })

const timed = <Made>({ deps, bot }: Job, step: StepEnded['step'], make: () => Promise<Made>): Promise<Made> =>
  timedStep(deps, bot.id, step, make)
