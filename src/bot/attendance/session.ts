// One bot's session in a meeting: knock, enter, stay, leave.
import { LOSSES, type LossReason } from '../../domain/absences.ts'
import type { BotSpec } from '../../domain/bot.ts'
import type { ErrorReason } from '../../domain/errors.ts'
import { next, type Trigger } from '../../domain/lifecycle.ts'
import {
  type Attendees,
  type ChatMessage,
  type EntryOutcome,
  type KnockOutcome,
  type MeetingEvent,
  NOT_THE_MEETINGS,
  type Roster,
} from '../../domain/meeting.ts'
import { reasonToLeave } from '../../domain/reason-to-leave.ts'
import type { MeetingDriver } from '../drivers/driver.ts'
import type { BotAttendance } from './attendance.ts'
import { type MeetingFactsTracker, trackMeetingFacts } from './meeting-facts.ts'
import { type GreetTools, greet } from './own-chat.ts'

const CHECK_EVERY_MS = 1_000
const REPORT_SPOKEN_EVERY_MS = 5_000

/** The bot's work in the meeting, as far as its session steers it. */
export type Attendance = Pick<BotAttendance, 'arrive' | 'begin' | 'onEvent' | 'spokenMs' | 'lastMediaAt' | 'frozen' | 'stop' | 'end'>

export type SessionTools = GreetTools & {
  readonly driver: MeetingDriver
  readonly attendance: Attendance
  readonly spec: BotSpec
  readonly now: () => number
  /** Reports a lifecycle trigger to the service. */
  readonly moved: (by: Trigger, details?: { readonly message?: string; readonly reason?: ErrorReason }) => void
  /** Reports the participants to the service. */
  readonly onRoster: (roster: Roster) => void
  /** Reports a chat message to the service. */
  readonly onChat: (message: ChatMessage) => void
}

type Permission = Extract<MeetingEvent, { kind: 'recording_permission' }>['state']
type Details = { readonly message: string; readonly reason?: ErrorReason }
type Broken = { readonly by: 'broken'; readonly message: string; readonly loss: LossReason }
/** `isDenied`: the host did not allow the recording. */
type End = (Details & { readonly by: Trigger; readonly isDenied?: true }) | Broken

/** `lost`: the session broke while the meeting runs, so the bot is sent again. */
export type Outcome = { readonly kind: 'out' } | { readonly kind: 'lost'; readonly reason: LossReason }

/** Resolves when the bot is out. Aborting the signal makes it leave; its reason is the message. */
export async function attend(tools: SessionTools, signal: AbortSignal): Promise<Outcome> {
  let step: Step = 'knock'
  try {
    const knock = await tools.driver.knock(signal)
    if (signal.aborted) return await finish(tools, { by: 'left', message: messageOf(signal) })
    if (knock.kind !== 'asked') return await endKnock(tools, knock)
    tools.moved('join_requested')

    step = 'enter'
    const entry = await waitForAdmission(tools, signal)
    step = 'stay'
    const end = 'by' in entry ? entry : await stay(tools, entry, signal)
    // A bot that was asked to leave has left, even if its page crashes on the way.
    return await finish(tools, end.by === 'broken' && signal.aborted ? { by: 'left', message: messageOf(signal) } : end)
  } catch (error) {
    // The page may fail because the bot leaves, which is no failure of the bot.
    return signal.aborted ? await finish(tools, { by: 'left', message: messageOf(signal) }) : await giveUp(tools, step, error)
  } finally {
    await tools.driver.leave('at once')
    await tools.attendance.end('The session is over')
  }
}

const KNOCK_TRIGGERS = { blocked: 'join_blocked', failed: 'join_failed' } as const

async function endKnock({ moved, failed }: SessionTools, knock: Exclude<KnockOutcome, { kind: 'asked' }>): Promise<Outcome> {
  const { kind, message, reason } = knock
  await failed('knock', message)
  moved(KNOCK_TRIGGERS[kind], { message, reason })
  return { kind: 'out' }
}

type Admitted = Extract<EntryOutcome, { kind: 'admitted' }>

/** Resolves with the admission, or with the reason why there is none. */
async function waitForAdmission({ driver, spec, failed }: SessionTools, signal: AbortSignal): Promise<Admitted | End> {
  const seconds = spec.leave.waitingRoomSeconds
  const entry = await driver.enter(AbortSignal.any([signal, AbortSignal.timeout(seconds * 1000)]))
  if (entry.kind === 'admitted') return entry
  if (signal.aborted) return { by: 'left', message: messageOf(signal) }
  const end = endOfEntry(entry, spec)
  await failed('enter', end.message)
  return end
}

function endOfEntry(entry: Exclude<EntryOutcome, Admitted>, { meeting, leave }: BotSpec): End & Details {
  const seconds = leave.waitingRoomSeconds
  if (entry.kind === 'over') {
    const { message, reason } = entry
    const isBlocked = !NOT_THE_MEETINGS.includes(reason) && next('Leaving', 'join_blocked', meeting.platform) !== null
    return { by: isBlocked ? 'join_blocked' : 'failed', message, reason }
  }
  if (entry.kind === 'refused') return { by: 'refused', message: 'The host refused the bot', reason: 'HostDenied' }
  if (entry.isEarly) return { by: 'never_admitted', message: `The meeting did not start within ${seconds} s`, reason: 'MeetingNotStarted' }
  return { by: 'never_admitted', message: `The bot was not let in within ${seconds} s`, reason: 'JoinTimeout' }
}

async function stay(tools: SessionTools, entry: Admitted, signal: AbortSignal): Promise<End> {
  const { attendance, spec, now, moved, failed } = tools
  const asksToRecord = entry.asksToRecord ?? false
  moved('admitted')
  const watch = trackMeetingFacts({ enteredAt: now(), onlyBots: spec.leave.onlyBots, asksToRecord })
  attendance.arrive()
  if (!asksToRecord) await attendance.begin()
  const frozen = attendance.frozen.then((message): End => ({ by: 'broken', message, loss: 'PageFrozen' }))
  const over = new AbortController()
  reportSpoken(tools, over.signal)
  // Not awaited: a chat that does not respond must not delay the session.
  void greet(tools, over.signal)
  const end = await Promise.race([
    untilAskedToLeave(signal),
    untilEnded(tools, watch, over.signal),
    untilTimeToLeave(tools, watch, over.signal),
    frozen,
  ])
  over.abort()
  if (end.by === 'broken' || end.by === 'failed') await failed('stay', end.message)
  return end
}

/** Leaves the meeting first, then saves the recording, and reports the end last. */
async function finish(tools: SessionTools, end: End): Promise<Outcome> {
  const { driver, attendance, onRoster, moved } = tools
  if (end.by === 'broken') return { kind: 'lost', reason: end.loss }
  const { by, message, reason, isDenied } = end
  const details = { message, ...(reason && { reason }) }
  attendance.stop()
  onRoster(rosterOf(tools))
  if (isDenied) moved('recording_denied', { message })
  moved('leaving', { message })
  await driver.leave('politely')
  await attendance.end(message)
  moved(by, details)
  return { kind: 'out' }
}

function untilAskedToLeave(signal: AbortSignal): Promise<End> {
  return new Promise((resolve) => {
    const end = (): void => resolve({ by: 'left', message: messageOf(signal) })
    if (signal.aborted) end()
    else signal.addEventListener('abort', end)
  })
}

const ENDINGS: Readonly<Record<(MeetingEvent & { kind: 'ended' })['cause'], End>> = {
  ended: { by: 'left', message: 'The meeting ended' },
  removed: { by: 'removed', message: 'A participant removed the bot from the meeting', reason: 'RemovedByParticipant' },
  lost: { by: 'failed', message: 'The connection to the meeting was lost', reason: 'ConnectionLost' },
  stuck: { by: 'broken', message: LOSSES.PageFrozen.message, loss: 'PageFrozen' },
  broken: { by: 'broken', message: LOSSES.BrowserCrashed.message, loss: 'BrowserCrashed' },
}

function endOf({ cause, by, message = by && `${by} removed the bot from the meeting` }: MeetingEvent & { kind: 'ended' }): End {
  return { ...ENDINGS[cause], ...(message && { message }) }
}

async function untilEnded(tools: SessionTools, watch: MeetingFactsTracker, over: AbortSignal): Promise<End> {
  const { driver, attendance, onRoster, onChat, failed } = tools
  for await (const event of driver.events()) {
    if (event.kind === 'people') onRoster({ ...attendeesOf(event), spokenMs: attendance.spokenMs() })
    if (event.kind === 'chat') onChat(event)
    if (event.kind === 'problem') void failed(event.step, event.message)
    if (event.kind === 'ended') return endOf(event)
    const end = event.kind === 'recording_permission' && !over.aborted && (await onPermission(tools, event.state))
    if (end) return end
    watch.onEvent(event)
    attendance.onEvent(event)
  }
  return ENDINGS.lost
}

/** Starts the recording if it is allowed. Otherwise resolves with the reason to leave. */
async function onPermission({ attendance, moved }: SessionTools, state: Permission): Promise<End | null> {
  if (state === 'denied') return { by: 'left', message: 'The host did not allow the recording', isDenied: true }
  if (state === 'withdrawn') return { by: 'left', message: 'The host withdrew the permission to record' }
  moved('recording_allowed')
  await attendance.begin()
  return null
}

/** Reports speaking times during the meeting, so that a killed bot does not lose them. */
function reportSpoken(tools: SessionTools, over: AbortSignal): void {
  let reportedMs = 0
  const timer = setInterval(() => {
    const roster = rosterOf(tools)
    const spokenMs = Object.values(roster.spokenMs).reduce((sum, ms) => sum + ms, 0)
    if (spokenMs > reportedMs) tools.onRoster(roster)
    reportedMs = spokenMs
  }, REPORT_SPOKEN_EVERY_MS)
  over.addEventListener('abort', () => clearInterval(timer))
}

function attendeesOf({ kind: _, ...attendees }: MeetingEvent & { kind: 'people' }): Attendees {
  return attendees
}

function rosterOf({ driver, attendance }: SessionTools): Roster {
  return { ...driver.attendees(), spokenMs: attendance.spokenMs() }
}

function untilTimeToLeave({ spec, now, attendance }: SessionTools, watch: MeetingFactsTracker, over: AbortSignal): Promise<End> {
  return new Promise((resolve) => {
    const timer = setInterval(() => {
      const reason = reasonToLeave(spec.leave, watch.facts(now(), attendance.lastMediaAt()))
      if (reason) resolve({ by: 'left', message: reason.message, ...(reason.rule === 'permission_unanswered' && { isDenied: true }) })
    }, CHECK_EVERY_MS)
    over.addEventListener('abort', () => clearInterval(timer))
  })
}

type Step = 'knock' | 'enter' | 'stay'

const PAGE_FAILED: Readonly<Record<Step, string>> = {
  knock: 'The bot could not ask to join: the page of the meeting did not respond as expected',
  enter: 'The bot could not wait to be let in: the page of the meeting did not respond as expected',
  stay: 'The bot could not stay: the page of the meeting did not respond as expected',
}

/** An unexpected error: reports it with evidence from the page. */
async function giveUp({ driver, moved, failed, explain }: SessionTools, step: Step, error: unknown): Promise<Outcome> {
  const { message, code } = explain(error, { code: 'page_failed', message: PAGE_FAILED[step] })
  await failed(step, message, code)
  if (driver.page.died) return { kind: 'lost', reason: 'BrowserCrashed' }
  moved('join_failed', { message, reason: 'InternalError' })
  // After admission the lifecycle table ignores `join_failed` and takes these two.
  moved('leaving', { message })
  moved('failed', { message, reason: 'InternalError' })
  return { kind: 'out' }
}

function messageOf(signal: AbortSignal): string {
  return typeof signal.reason === 'string' ? signal.reason : 'Removed on request'
}
