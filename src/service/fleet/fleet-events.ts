// Events of bots, for metrics and traces. The node that commits an event observes it once.
import type { LossReason } from '../../domain/absences.ts'
import type { BotId, WorkspaceId } from '../../domain/bot.ts'
import type { ErrorReason } from '../../domain/errors.ts'
import type { Status, Trigger } from '../../domain/lifecycle.ts'
import type { Platform } from '../../domain/platforms.ts'
import type { FromWorker } from '../../domain/protocol.ts'

export type BotMoved = {
  readonly kind: 'moved'
  readonly botId: BotId
  readonly workspaceId: WorkspaceId
  readonly platform: Platform
  readonly by: Trigger
  readonly from: Status
  /** When the bot got the status `from`. */
  readonly since: Date
  readonly to: Status
  readonly at: Date
  readonly reason: ErrorReason | null
  readonly createdAt: Date
  readonly joinAt: Date | null
  /** The bot has been in the meeting before this move. */
  readonly hadEntered: boolean
}

/** A seat was found: the bot was due, claimed, and given to a worker. */
type BotSeated = {
  readonly kind: 'seated'
  readonly botId: BotId
  readonly platform: Platform
  readonly dueAt: Date
  readonly claimedAt: Date
  readonly at: Date
}

/** A step of the work after the call has ended. */
export type StepEnded = {
  readonly kind: 'step'
  readonly botId: BotId
  readonly step: 'audio' | 'video' | 'streams' | 'upload' | 'transcription'
  readonly from: Date
  readonly to: Date
  readonly isFailed: boolean
}

/** Figures of a bot's worker, since its last report. */
type MediaMeasured = Pick<Extract<FromWorker, { kind: 'measured' }>, 'kind' | 'botId' | 'lostFrames' | 'liveAudioMs' | 'liveWordsMs'>

export type FleetEvent =
  | { readonly kind: 'created'; readonly botId: BotId; readonly platform: Platform }
  | BotMoved
  | BotSeated
  | { readonly kind: 'lost'; readonly botId: BotId; readonly reason: LossReason }
  | { readonly kind: 'returned'; readonly botId: BotId; readonly lostAt: Date; readonly at: Date }
  | StepEnded
  | MediaMeasured

export type Observe = (event: FleetEvent) => void
