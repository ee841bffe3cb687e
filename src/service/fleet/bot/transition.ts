// The only writer of status: a bot moves by a row of the lifecycle table, and its events are written in the same transaction.
import { announcementOf, doneAs, messageFor, noticeOf, sayingOf } from '../../../domain/announcements.ts'
import type { BotId, JsonObject } from '../../../domain/bot.ts'
import { type ErrorReason, ServiceError } from '../../../domain/errors.ts'
import { isLastWord, next, type Stage, type Status, TERMINAL, type Trigger } from '../../../domain/lifecycle.ts'
import { chargeAttendance, refundAttendance, type Tariff } from '../../accounts/credits.ts'
import { type Db, inTransaction } from '../../db/database.ts'
import type { Subject } from '../../db/delivery/deliveries.ts'
import { endAbsence, listAbsences } from '../../db/fleet/absences.ts'
import {
  hasRecorded,
  insertBot,
  type LockedBot,
  lockBot,
  type NewBot,
  writeStage,
  writeStatus,
  writeWaiting,
} from '../../db/fleet/bot-status.ts'
import { announce, type EventDetails, eventOf } from '../../delivery/announce.ts'
import type { BotMoved, FleetEvent, Observe } from '../fleet-events.ts'

export type Move = {
  readonly bot: BotId
  readonly by: Trigger
  readonly at: Date
  readonly message?: string | undefined
  readonly reason?: ErrorReason
  /** The fence of the mover's claim. If it is not the bot's newest, nothing changes. */
  readonly fence?: number
  readonly extra?: JsonObject
}

type StageReport = {
  readonly bot: BotId
  readonly stage: Stage
  readonly at: Date
  readonly fence?: number
  readonly message?: string
  /** Makes the stage that of one transcription run: each run announces it, to its own receiver and with its own id. */
  readonly about?: About
}

export type { NewBot }

export type TransitionDeps = {
  readonly db: Db
  readonly tariff: Tariff
  /** Called when events were written, so that delivery starts at once. */
  readonly onNews: () => void
  /** Called after the commit of each event, for metrics and traces. */
  readonly observe?: Observe
}

export type FleetDeps = TransitionDeps & {
  /** Called when a bot may be due, so that dispatch starts at once. */
  readonly onDue: () => void
}

/** Writes the new bot and its first event. False: one of its keys was used before, and nothing was written. */
export async function begin(db: Db, bot: NewBot, by: 'created' | 'scheduled'): Promise<boolean> {
  const status = next('new', by, bot.spec.meeting.platform)
  if (!status) throw new Error(`lifecycle: a new bot has no row for ${by}`)
  const announcement = announcementOf(status, by)
  const entry = { status, message: sayingOf(status), at: bot.createdAt }
  const event = eventOf(bot, { announcement, ...entry, extra: scheduledTime(status, bot.joinAt) })
  return insertBot(db, bot, entry, event)
}

/** Moves the bot and returns its new status. Null: the table has no such row, because the report is late or a duplicate. */
export async function transition(deps: TransitionDeps, move: Move): Promise<Status | null> {
  const moved = await inTransaction(deps.db, async (tx) => {
    const bot = await lockBot(tx, move.bot)
    if (!bot) throw new ServiceError('bot_not_found')
    if (move.fence !== undefined && move.fence !== bot.fence) return null

    const to = next(bot.status, move.by, bot.platform)
    if (!to) return null
    await write(tx, bot, { ...move, status: to })
    if (to === 'InMeeting') await endAbsence(tx, bot.id, move.at)
    await charge(tx, deps.tariff, bot, { ...move, status: to })
    return movedEvent(bot, move, to)
  })
  if (!moved) return null
  deps.observe?.(moved)
  deps.onNews()
  return moved.to
}

function movedEvent({ id: botId, workspaceId, platform, status: from, ...bot }: LockedBot, { by, at, reason }: Move, to: Status): BotMoved {
  const { since, createdAt, joinAt, inMeetingAt } = bot
  const reached = { botId, workspaceId, platform, by, from, since: since ?? at, to, at, reason: reason ?? null }
  return { kind: 'moved', ...reached, createdAt, joinAt, hadEntered: inMeetingAt !== null }
}

/** Writes a stage that is no status and announces it: the first time, or each time if the stage repeats. */
export async function addStage(
  deps: TransitionDeps,
  { bot: id, stage, at: reportedAt, fence, message: given, about }: StageReport,
): Promise<void> {
  await inTransaction(deps.db, async (tx) => {
    const bot = await lockBot(tx, id)
    if (!bot || (fence !== undefined && fence !== bot.fence)) return
    const { announcement, saying, repeats = false } = noticeOf(stage, bot.platform, bot.callbackUrl !== null)
    const message = given ?? saying
    // Recording is timed by the media's clock and entering by the wall clock: rounding may swap them.
    const at = new Date(Math.max(reportedAt.getTime(), bot.inMeetingAt?.getTime() ?? 0))
    const isNew = await writeStage(tx, id, stage, { message, at, repeats })
    if ((isNew || about) && announcement) await announce(tx, { ...bot, ...about }, { announcement, message, at })
  })
  deps.onNews()
}

/** Writes the Queued stage of those bots that wait for a seat. It is not announced. */
export async function noteQueued({ db }: TransitionDeps, bots: readonly BotId[], at: Date): Promise<void> {
  await writeWaiting(db, 'Queued', bots, { message: 'Waiting for a free seat', at })
}

/** Overrides of the receiver and the transcript id of an event. */
type About = Partial<Pick<Subject, 'callbackUrl' | 'transcriptId'>>

type EventOf = EventDetails & { readonly bot: BotId; readonly about?: About }

/** Announces an event that is neither a status nor a stage. */
export async function announceEvent(deps: TransitionDeps, { bot: id, about, ...news }: EventOf): Promise<void> {
  const bot = await lockBot(deps.db, id)
  if (bot) await announce(deps.db, { ...bot, ...about }, news)
}

/** Runs several moves in one transaction, and starts delivery after its commit. */
export async function atomically<Result>(deps: TransitionDeps, work: (inside: TransitionDeps) => Promise<Result>): Promise<Result> {
  const events: FleetEvent[] = []
  const inside = { ...deps, onNews: () => undefined, observe: (event: FleetEvent) => void events.push(event) }
  const result = await inTransaction(deps.db, (tx) => work({ ...inside, db: tx }))
  for (const event of events) deps.observe?.(event)
  deps.onNews()
  return result
}

type Written = Pick<Move, 'by' | 'at' | 'message' | 'reason' | 'extra'> & { readonly status: Status }

async function write(tx: Db, bot: LockedBot, { status, by, at, reason, extra, ...move }: Written): Promise<void> {
  const message = messageFor(status, move.message ?? sayingOf(status))
  const media = mediaAfter(status, isLastWord(status, by, bot.platform))
  await writeStatus(tx, bot.id, { status, message, at, reason: reason ?? null, ends: TERMINAL.has(status), media })
  const announcement = announcementOf(status, by)
  await announce(tx, bot, { announcement, message, at, extra: { ...failureReason(bot, status, reason), ...extra } })
  if (isLastWord(status, by, bot.platform)) {
    await announce(tx, bot, { announcement: doneAs(status), message, at, extra: { status: 'error' } })
    if (!(await hasRecorded(tx, bot.id))) await refundAttendance(tx, bot.id, at)
  }
}

/** A recording is processed even if its status is final. */
function mediaAfter(status: Status, isLast: boolean): 'expected' | 'if recorded' | 'none' {
  if (status !== 'Stopped' && status !== 'Kicked' && status !== 'Error') return 'none'
  return isLast ? 'if recorded' : 'expected'
}

/** A bot is charged for the time between entering and leaving, without its absences. A bot that never entered is not charged. */
async function charge(tx: Db, tariff: Tariff, bot: LockedBot, { status, at }: Written): Promise<void> {
  if (status !== 'Leaving' || !bot.inMeetingAt) return
  await endAbsence(tx, bot.id, at)
  const absences = await listAbsences(tx, bot.id)
  await chargeAttendance(tx, tariff, { botId: bot.id, workspaceId: bot.workspaceId, from: bot.inMeetingAt, to: at, absences })
}

function scheduledTime(status: Status, joinAt: Date | null): JsonObject {
  return status === 'Scheduled' && joinAt ? { scheduled_join_time: joinAt.toISOString() } : {}
}

/** Platform B's failed joins carry the reason code. */
function failureReason(bot: LockedBot, status: Status, reason: ErrorReason | undefined): JsonObject {
  const failed = status === 'Failed' || status === 'Error' || status === 'NotAllowed' || status === 'Denied'
  return bot.platform === 'google_meet' && failed && !bot.inMeetingAt ? { failure_reason: reason ?? 'InternalError' } : {}
}
