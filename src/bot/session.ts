// One bot's meeting, from the door to the way out: knock, enter, stay, leave.
import { LOSSES, type LossReason } from '../domain/absences.ts'
import type { BotSpec } from '../domain/bot.ts'
import type { ErrorReason } from '../domain/errors.ts'
import { next, type Trigger } from '../domain/lifecycle.ts'
import {
  type ChatMessage,
  type EntryOutcome,
  type KnockOutcome,
  type MeetingEvent,
  NOT_THE_MEETINGS,
  type Roster,
} from '../domain/meeting.ts'
import { reasonToLeave } from '../domain/reason-to-leave.ts'
import type { MeetingDriver } from './drivers/driver.ts'
import { type GreetTools, greet } from './greet.ts'
import { createWatch, type Watch } from './watch.ts'

const LOOK_EVERY_MS = 1_000
const REPORT_SPOKEN_EVERY_MS = 5_000

/** What a bot does in the meeting besides being there. */
export type Work = {
  /** The bot is in: its page is watched, and it can show and say something. Nothing is taken yet. */
  arrive(): void
  /** Settles when the recording runs. */
  begin(): Promise<void>
  see(event: MeetingEvent): void
  /** How long each participant has spoken so far, without pauses. */
  spokenMs(): Roster['spokenMs']
  lastMediaAt(): number | null
  /** What stands still, once something does: the page, or the recording in it. */
  readonly still: Promise<string>
  /** The bot is leaving: nothing more is taken. */
  stop(): void
  /** Everything taken is safe when this settles. Safe to call twice. */
  end(reason: string): Promise<void>
}

export type SessionTools = GreetTools & {
  readonly driver: MeetingDriver
  readonly work: Work
  readonly spec: BotSpec
  readonly now: () => number
  /** Tells the service what happened to the bot. */
  readonly moved: (by: Trigger, words?: { readonly message?: string; readonly reason?: ErrorReason }) => void
  /** Reports the participants to the service. */
  readonly onRoster: (roster: Roster) => void
  /** Reports a chat line to the service. */
  readonly onChat: (message: ChatMessage) => void
}

type Permission = Extract<MeetingEvent, { kind: 'recording_permission' }>['state']
type Words = { readonly message: string; readonly reason?: ErrorReason }
type Broken = { readonly by: 'broken'; readonly message: string; readonly loss: LossReason }
/** `isDenied`: the host did not allow the recording. */
type End = (Words & { readonly by: Trigger; readonly isDenied?: true }) | Broken

/** `lost`: not the meeting ended but the bot's session, and the bot is sent again. */
export type Outcome = { readonly kind: 'out' } | { readonly kind: 'lost'; readonly reason: LossReason }

/** Settles when the bot is out. The signal means: leave now; its reason is the message. */
export async function attend(tools: SessionTools, signal: AbortSignal): Promise<Outcome> {
  let step: Step = 'knock'
  try {
    const knock = await tools.driver.knock(signal)
    if (signal.aborted) return await goOut(tools, { by: 'left', message: wordsOf(signal) })
    if (knock.kind !== 'asked') return await stopAtTheDoor(tools, knock)
    tools.moved('join_requested')

    step = 'enter'
    const entry = await waitAtTheDoor(tools, signal)
    step = 'stay'
    const end = 'by' in entry ? entry : await stay(tools, entry, signal)
    // Whoever was told to leave has left, also by a crash on the way.
    return await goOut(tools, end.by === 'broken' && signal.aborted ? { by: 'left', message: wordsOf(signal) } : end)
  } catch (error) {
    // A bot that was asked to leave has left, also where its page failed because of that.
    return signal.aborted ? await goOut(tools, { by: 'left', message: wordsOf(signal) }) : await giveUp(tools, step, error)
  } finally {
    await tools.driver.leave('at once')
    await tools.work.end('The session is over')
  }
}

const AT_THE_DOOR = { blocked: 'join_blocked', failed: 'join_failed' } as const

async function stopAtTheDoor({ moved, failed }: SessionTools, knock: Exclude<KnockOutcome, { kind: 'asked' }>): Promise<Outcome> {
  const { kind, message, reason } = knock
  await failed('knock', message)
  moved(AT_THE_DOOR[kind], { message, reason })
  return { kind: 'out' }
}

type Admitted = Extract<EntryOutcome, { kind: 'admitted' }>

/** Admitted, or why not. */
async function waitAtTheDoor({ driver, spec, failed }: SessionTools, signal: AbortSignal): Promise<Admitted | End> {
  const seconds = spec.leave.waitingRoomSeconds
  const entry = await driver.enter(AbortSignal.any([signal, AbortSignal.timeout(seconds * 1000)]))
  if (entry.kind === 'admitted') return entry
  if (signal.aborted) return { by: 'left', message: wordsOf(signal) }
  const end = endAtTheDoor(entry, spec)
  await failed('enter', end.message)
  return end
}

function endAtTheDoor(entry: Exclude<EntryOutcome, Admitted>, { meeting, leave }: BotSpec): End & Words {
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
  const { work, spec, now, moved, failed } = tools
  const asksToRecord = entry.asksToRecord ?? false
  moved('admitted')
  const watch = createWatch({ enteredAt: now(), onlyBots: spec.leave.onlyBots, asksToRecord })
  work.arrive()
  if (!asksToRecord) await work.begin()
  const still = work.still.then((message): End => ({ by: 'broken', message, loss: 'PageFrozen' }))
  const over = new AbortController()
  reportSpoken(tools, over.signal)
  // Beside everything else: a chat that does not answer must not hold up what happens in the meeting.
  void greet(tools, over.signal)
  const end = await Promise.race([
    untilTold(signal),
    untilEnded(tools, watch, over.signal),
    untilTimeToLeave(tools, watch, over.signal),
    still,
  ])
  over.abort()
  if (end.by === 'broken' || end.by === 'failed') await failed('stay', end.message)
  return end
}

/** The others see it go before anything else is done; what was recorded is safe before the ending is told. */
async function goOut(tools: SessionTools, end: End): Promise<Outcome> {
  const { driver, work, onRoster, moved } = tools
  if (end.by === 'broken') return { kind: 'lost', reason: end.loss }
  const { by, message, reason, isDenied } = end
  const words = { message, ...(reason && { reason }) }
  work.stop()
  onRoster(rosterOf(tools))
  if (isDenied) moved('recording_denied', { message })
  moved('leaving', { message })
  await driver.leave('politely')
  await work.end(message)
  moved(by, words)
  return { kind: 'out' }
}

function untilTold(signal: AbortSignal): Promise<End> {
  return new Promise((resolve) => {
    const end = (): void => resolve({ by: 'left', message: wordsOf(signal) })
    if (signal.aborted) end()
    else signal.addEventListener('abort', end)
  })
}

const ENDINGS: Readonly<Record<(MeetingEvent & { kind: 'ended' })['how'], End>> = {
  ended: { by: 'left', message: 'The meeting ended' },
  removed: { by: 'removed', message: 'A participant removed the bot from the meeting', reason: 'RemovedByParticipant' },
  lost: { by: 'failed', message: 'The connection to the meeting was lost', reason: 'ConnectionLost' },
  broken: { by: 'broken', message: LOSSES.BrowserCrashed.message, loss: 'BrowserCrashed' },
}

function endOf({ how, by, message = by && `${by} removed the bot from the meeting` }: MeetingEvent & { kind: 'ended' }): End {
  return { ...ENDINGS[how], ...(message && { message }) }
}

async function untilEnded(tools: SessionTools, watch: Watch, over: AbortSignal): Promise<End> {
  const { driver, work, onRoster, onChat } = tools
  for await (const event of driver.events()) {
    if (event.kind === 'people') onRoster({ others: event.others, at: event.at, spokenMs: work.spokenMs() })
    if (event.kind === 'chat') onChat(event)
    if (event.kind === 'ended') return endOf(event)
    const forbidden = event.kind === 'recording_permission' && !over.aborted && (await onPermission(tools, event.state))
    if (forbidden) return forbidden
    watch.see(event)
    work.see(event)
  }
  return ENDINGS.lost
}

/** The recording begins once it is allowed. Otherwise why the bot leaves. */
async function onPermission({ work, moved }: SessionTools, state: Permission): Promise<End | null> {
  if (state === 'denied') return { by: 'left', message: 'The host did not allow the recording', isDenied: true }
  if (state === 'withdrawn') return { by: 'left', message: 'The host withdrew the permission to record' }
  moved('recording_allowed')
  await work.begin()
  return null
}

/** How long people have spoken is reported while they do: a bot that is killed must not take it along. */
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

function rosterOf({ driver, work }: SessionTools): Roster {
  return { ...driver.attendees(), spokenMs: work.spokenMs() }
}

function untilTimeToLeave({ spec, now, work }: SessionTools, watch: Watch, over: AbortSignal): Promise<End> {
  return new Promise((resolve) => {
    const timer = setInterval(() => {
      const reason = reasonToLeave(spec.leave, watch.facts(now(), work.lastMediaAt()))
      if (reason) resolve({ by: 'left', message: reason.message, ...(reason.rule === 'permission_unanswered' && { isDenied: true }) })
    }, LOOK_EVERY_MS)
    over.addEventListener('abort', () => clearInterval(timer))
  })
}

type Step = 'knock' | 'enter' | 'stay'

const PAGE_FAILED: Readonly<Record<Step, string>> = {
  knock: 'The bot could not ask to join: the page of the meeting did not respond as expected',
  enter: 'The bot could not wait to be let in: the page of the meeting did not respond as expected',
  stay: 'The bot could not stay: the page of the meeting did not respond as expected',
}

/** Something broke that is nobody's outcome: the truth is told, with what can still be seen. */
async function giveUp({ driver, moved, failed, explain }: SessionTools, step: Step, error: unknown): Promise<Outcome> {
  const { message, code } = explain(error, { code: 'page_failed', message: PAGE_FAILED[step] })
  await failed(step, message, code)
  if (driver.page.died) return { kind: 'lost', reason: 'BrowserCrashed' }
  moved('join_failed', { message, reason: 'InternalError' })
  // Where it was past the door already, the table has the other way out.
  moved('leaving', { message })
  moved('failed', { message, reason: 'InternalError' })
  return { kind: 'out' }
}

function wordsOf(signal: AbortSignal): string {
  return typeof signal.reason === 'string' ? signal.reason : 'Removed on request'
}
