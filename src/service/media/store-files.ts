// Stores the files of a recording, each announced as soon as it can be read.
import { mediaAnnouncement } from '../../domain/announcements.ts'
import type { JsonObject } from '../../domain/bot.ts'
import { contentTypeOf, mediaKey } from '../../storage/store.ts'
import { inTransaction } from '../db/database.ts'
import { type ArtefactKind, keepArtefact } from '../db/media/recordings.ts'
import { announceEvent } from '../fleet/bot/transition.ts'
import type { MixedAudio } from './audio/mixed-audio.ts'
import { speakerTimeline } from './audio/speaker-timeline.ts'
import { writeFileAtomically } from './file-cache.ts'
import type { Job } from './recording-job.ts'
import { retryLaterOnError } from './retry-later.ts'
import type { StreamFile } from './streams.ts'
import { endWaiting } from './transcript/transcribe.ts'
import type { ComposedVideo } from './video/compose.ts'

/** The mixed audio, or the video of all participants. */
export async function storeMixed(job: Job, kind: 'audio' | 'video', made: MixedAudio | ComposedVideo): Promise<void> {
  await storeArtefact(job, { kind, position: 0, file: made.file, facts: factsOf(made) })
}

/** With the speaker timeline. */
export async function storeStreams(job: Job, streams: readonly StreamFile[]): Promise<void> {
  const { plan } = job
  for (const [position, stream] of streams.entries()) {
    const { participantId, participantName } = stream
    // Transcripts need the start time after the recording has been removed.
    const recordedAt = plan.startedAt === null ? null : new Date(plan.startedAt).toISOString()
    await storeArtefact(job, {
      kind: KINDS[stream.kind],
      position,
      file: stream.file,
      facts: { ...factsOf(stream), participantId, participantName, recordedAt },
    })
  }
  await storeTimeline(job)
}

const KINDS: Readonly<Record<StreamFile['kind'], ArtefactKind>> = { audio: 'audio_stream', camera: 'video_stream', screen: 'screen_stream' }

async function storeTimeline(job: Job): Promise<void> {
  const file = `${job.work.output}/speaker-timeline.json`
  await writeFileAtomically(file, JSON.stringify(speakerTimeline(job.work.manifest, job.plan)))
  const { pauses, gaps } = job.plan
  await storeArtefact(job, { kind: 'speaker_timeline', position: 0, file, facts: { pauses, gaps } })
}

type NewArtefact = { readonly kind: ArtefactKind; readonly position: number; readonly file: string; readonly facts: JsonObject }

/** Stores the file first, then records it in the database and announces it once. */
async function storeArtefact({ deps, bot, ffmpegOptions }: Job, { kind, position, file, facts }: NewArtefact): Promise<void> {
  const name = file.slice(file.lastIndexOf('/') + 1)
  // Browsers treat .webm as video and .weba as audio.
  const key = mediaKey(bot.id, kind === 'audio_stream' ? name.replace(/\.webm$/, '.weba') : name)
  await retryLaterOnError(
    deps.store.put(key, { file }, { contentType: contentTypeOf(key), ...(ffmpegOptions.signal && { signal: ffmpegOptions.signal }) }),
  )
  const at = deps.now()
  const outcome = await inTransaction(deps.db, async (tx) => {
    const outcome = await keepArtefact(tx, bot.id, { kind, position, key, facts }, at)
    if (outcome !== 'new' || (kind !== 'audio' && kind !== 'video')) return outcome
    const extra = { status: 'success', [`${kind}_status`]: 'Success' }
    const inside = { ...deps, db: tx, onNews: () => undefined }
    await announceEvent(inside, { bot: bot.id, announcement: mediaAnnouncement(kind, true), message: `The ${kind} is ready`, at, extra })
    if (kind === 'audio') await endWaiting(inside, bot.id, at)
    return outcome
  })
  if (outcome === 'deleted') await deps.store.remove([key])
  deps.onNews()
}

function factsOf({ file: _, ...facts }: MixedAudio | StreamFile | ComposedVideo): JsonObject {
  return facts
}
