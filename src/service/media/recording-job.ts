// What the steps after the call need to know of one recording.
import type { BotSpec } from '../../domain/bot.ts'
import { worksLive } from '../../domain/speech-providers.ts'
import type { Logger } from '../../kit/log.ts'
import type { Semaphore } from '../../kit/semaphore.ts'
import type { ObjectStore } from '../../storage/store.ts'
import type { DueRecording } from '../db/media/recordings.ts'
import type { TransitionDeps } from '../fleet/bot/transition.ts'
import type { FfmpegOptions } from './ffmpeg.ts'
import type { MediaPlan } from './plan.ts'
import type { StreamFile } from './streams.ts'
import type { Encoder } from './video/encoder.ts'
import type { WorkFolder } from './work-folder.ts'

export type RecordingDeps = TransitionDeps & {
  readonly store: ObjectStore
  /** Holds a work folder for each recording in progress. */
  readonly folder: string
  readonly now: () => Date
  /** How many pieces of one video are encoded at the same time. */
  readonly piecesAtOnce: () => number
  /** Encodes a piece in its turn among those of all recordings of the process. */
  readonly inTurn: Semaphore
  readonly encoder: Encoder
  readonly log: Logger
}

export type Job = {
  readonly deps: RecordingDeps
  readonly bot: DueRecording
  readonly work: WorkFolder
  readonly plan: MediaPlan
  readonly ffmpegOptions: FfmpegOptions
}

/** True: the live words are the transcript. */
export const isLiveOnly = ({ spec }: DueRecording): boolean => worksLive(spec.transcript.provider)

export function isRequested(spec: BotSpec, kind: StreamFile['kind']): boolean {
  return kind === 'audio' ? spec.audio && spec.separateAudio : spec.video && spec.separateVideo
}
