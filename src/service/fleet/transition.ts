// The only writer of status: a bot moves by a row of the lifecycle table, and the move is told in the same transaction.
import { type Announcement, announcementOf, doneAs, messageFor, noticeOf, sayingOf } from '../../domain/announcements.ts'
import type { BotId, JsonObject } from '../../domain/bot.ts'
import { type ErrorReason, ServiceError } from '../../domain/errors.ts'
import { isLastWord, next, type Stage, type Status, TERMINAL, type Trigger } from '../../domain/lifecycle.ts'
import { chargeAttendance, refundAttendance, type Tariff } from '../accounts/credits.ts'
import { endAbsence, listAbsences } from '../db/absences.ts'
import { hasRecorded, insertBot, type LockedBot, lockBot, type NewBot, writeStage, writeStatus, writeWaiting } from '../db/bot-status.ts'
import { type Db, inTransaction } from '../db/database.ts'
import { announce, eventOf, type Subject } from '../delivery/announce.ts'

export type Move = {
  readonly bot: BotId
  readonly by: Trigger
  readonly at: Date
  readonly message?: string | undefined
  readonly reason?: ErrorReason
  /** Of the claim under which the mover acts: one that is not the bot's newest changes nothing. */
  readonly fence?: number
  readonly extra?: JsonObject
}

type Note = {
  readonly bot: BotId
  readonly stage: Stage
  readonly at: Date
  readonly fence?: number
  readonly message?: string
  /** The stage is one run's: every run announces it, where and by which id its own events are announced. */
  readonly about?: About
}

export type { NewBot }

export type TransitionDeps = {
  readonly db: Db
  readonly tariff: Tariff
  /** Something was told: whoever delivers need not wait. */
  readonly onNews: () => void
}

export type FleetDeps = TransitionDeps & {
  /** A bot may be due: whoever starts bots need not wait. */
  readonly onDue: () => void
}

/** Writes the new bot and tells of it. False: one of its keys was used before, and nothing was written. */
export async function begin(db: Db, bot: NewBot, by: 'created' | 'scheduled'): Promise<boolean> {
  const status = next('new', by, bot.spec.meeting.platform)
  if (!status) throw new Error(`lifecycle: a new bot has no row for ${by}`)
  const announcement = announcementOf(status, by)
  const words = { status, message: sayingOf(status), at: bot.createdAt }
  const event = eventOf(bot, { announcement, ...words, extra: scheduledTime(status, bot.joinAt) })
  return insertBot(db, bot, words, event)
}

/** Moves the bot and returns where it is now, or null where the table has no such row: it came late or twice. */
export async function transition(deps: TransitionDeps, move: Move): Promise<Status | null> {
  const status = await inTransaction(deps.db, async (tx) => {
    const bot = await lockBot(tx, move.bot)
    if (!bot) throw new ServiceError('bot_not_found')
    if (move.fence !== undefined && move.fence !== bot.fence) return null

    const to = next(bot.status, move.by, bot.platform)
    if (!to) return null
    await write(tx, bot, { ...move, status: to })
    await charge(tx, deps.tariff, bot, { ...move, status: to })
    return to
  })
  if (status) deps.onNews()
  return status
}

/** Notes a stage that is no status and announces it: the first time, or every time where the stage repeats. */
export async function note(deps: TransitionDeps, { bot: id, stage, at: reportedAt, fence, message: given, about }: Note): Promise<void> {
  await inTransaction(deps.db, async (tx) => {
    const bot = await lockBot(tx, id)
    if (!bot || (fence !== undefined && fence !== bot.fence)) return
    const { announcement, saying, repeats = false } = noticeOf(stage, bot.platform, bot.callbackUrl !== null)
    const message = given ?? saying
    // Recording is timed by the media's clock, entering by the wall clock: rounding may put them in the wrong order.
    const at = new Date(Math.max(reportedAt.getTime(), bot.inMeetingAt?.getTime() ?? 0))
    const isNew = await writeStage(tx, id, stage, { message, at, repeats })
    if ((isNew || about) && announcement) await announce(tx, { ...bot, ...about }, { announcement, message, at })
  })
  deps.onNews()
}

/** Notes that bots wait for a seat, many at a time: nothing is announced of it. */
export async function noteQueued({ db }: TransitionDeps, waiting: { readonly dueBefore: Date; readonly at: Date; readonly limit: number }) {
  await writeWaiting(db, 'Queued', { ...waiting, message: 'Waiting for a free seat' })
}

/** Where something is told and by which id, if not as everything of this bot. */
type About = Partial<Pick<Subject, 'callbackUrl' | 'transcriptId'>>

type Tale = {
  readonly bot: BotId
  readonly announcement: Announcement
  readonly message: string
  readonly at: Date
  readonly extra: JsonObject
  readonly about?: About
}

/** Tells of something that is neither status nor stage. */
export async function tellOf(deps: TransitionDeps, { bot: id, about, ...news }: Tale): Promise<void> {
  const bot = await lockBot(deps.db, id)
  if (bot) await announce(deps.db, { ...bot, ...about }, news)
}

/** Several moves as one: all of them or none, and the news goes out when they stand. */
export async function together<Result>(deps: TransitionDeps, work: (inside: TransitionDeps) => Promise<Result>): Promise<Result> {
  const result = await inTransaction(deps.db, (tx) => work({ ...deps, db: tx, onNews: () => undefined }))
  deps.onNews()
  return result
}

type Written = Pick<Move, 'by' | 'at' | 'message' | 'reason' | 'extra'> & { readonly status: Status }

async function write(tx: Db, bot: LockedBot, { status, by, at, reason, extra, ...move }: Written): Promise<void> {
  const message = messageFor(status, move.message ?? sayingOf(status))
  const media = mediaAfter(status, isLastWord(status, by, bot.platform))
  await writeStatus(tx, bot.id, { status, message, at, reason: reason ?? null, ends: TERMINAL.has(status), media })
  await tell(tx, bot, { status, by, message, at, extra: { ...failureReason(bot, status, reason), ...extra } })
  if (isLastWord(status, by, bot.platform)) {
    await announce(tx, bot, { announcement: doneAs(status), message, at, extra: { status: 'error' } })
    if (!(await hasRecorded(tx, bot.id))) await refundAttendance(tx, bot.id, at)
  }
}

/** What a bot recorded is worth having also where its status will not change any more. */
function mediaAfter(status: Status, isLast: boolean): 'expected' | 'if recorded' | 'none' {
  if (status !== 'Stopped' && status !== 'Kicked' && status !== 'Error') return 'none'
  return isLast ? 'if recorded' : 'expected'
}

type Told = { readonly status: Status; readonly by: Trigger; readonly message: string; readonly at: Date; readonly extra: JsonObject }

async function tell(tx: Db, bot: Subject, { status, by, message, at, extra }: Told): Promise<void> {
  await announce(tx, bot, { announcement: announcementOf(status, by), message, at, extra })
}

/** A bot pays for the time between entering and leaving, without its absences; one that never got in pays nothing. */
async function charge(tx: Db, tariff: Tariff, bot: LockedBot, { status, at }: Written): Promise<void> {
  if (status !== 'Leaving' || !bot.inMeetingAt) return
  await endAbsence(tx, bot.id, at)
  const absences = await listAbsences(tx, bot.id)
  await chargeAttendance(tx, tariff, { botId: bot.id, workspaceId: bot.workspaceId, from: bot.inMeetingAt, to: at, absences })
}

function scheduledTime(status: Status, joinAt: Date | null): JsonObject {
  return status === 'Scheduled' && joinAt ? { scheduled_join_time: joinAt.toISOString() } : {}
}

/** Platform B's failed joins carry their code. */
function failureReason(bot: LockedBot, status: Status, reason: ErrorReason | undefined): JsonObject {
  const failed = status === 'Failed' || status === 'Error' || status === 'NotAllowed' || status === 'Denied'
  return bot.platform === 'google_meet' && failed && !bot.inMeetingAt ? { failure_reason: reason ?? 'InternalError' } : {}
}
