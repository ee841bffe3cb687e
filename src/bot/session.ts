// One bot's meeting, from the door to the way out: knock, enter, stay, leave.
import type { BotSpec } from '../domain/bot.ts'
import type { ErrorReason } from '../domain/errors.ts'
import type { Trigger } from '../domain/lifecycle.ts'
import type { MeetingEvent } from '../domain/meeting.ts'
import { reasonToLeave } from '../domain/reason-to-leave.ts'
import type { MeetingDriver } from './drivers/driver.ts'
import { createWatch, type Watch } from './watch.ts'

const LOOK_EVERY_MS = 1_000

export type SessionTools = {
  readonly driver: MeetingDriver
  readonly spec: BotSpec
  readonly now: () => number
  /** Tells the service what happened to the bot. */
  readonly moved: (by: Trigger, words?: { readonly message?: string; readonly reason?: ErrorReason }) => void
  /** Tells it who is there, and what was written. */
  readonly seen: (event: Extract<MeetingEvent, { kind: 'people' | 'chat' }>) => void
  /** Tells it what went wrong, with what the page said. */
  readonly failed: (step: string, message: string, pageText: string | null) => void
}

type End = { readonly by: Trigger; readonly message: string; readonly reason?: ErrorReason }

/** Settles when the bot is out. The signal means: leave now; its reason is the message. */
export async function attend(tools: SessionTools, signal: AbortSignal): Promise<void> {
  let step = 'knock'
  try {
    const knock = await tools.driver.knock(signal)
    if (knock.kind === 'blocked') return await stopAtTheDoor(tools, knock)
    tools.moved('join_requested')

    step = 'enter'
    const outside = await waitAtTheDoor(tools, signal)
    const inside = outside === null
    const end = outside ?? (await stay(tools, signal))
    if (inside) tools.seen({ kind: 'people', ...tools.driver.roster() })
    tools.moved('leaving', { message: end.message })
    await tools.driver.leave()
    tools.moved(end.by, end)
  } catch (error) {
    await giveUp(tools, step, error)
  } finally {
    await tools.driver.leave()
  }
}

async function stopAtTheDoor(
  { driver, moved, failed }: SessionTools,
  { message, reason }: { message: string; reason: ErrorReason },
): Promise<void> {
  failed('knock', message, await driver.pageText())
  moved('join_blocked', { message, reason })
}

/** Null: the bot is in. Otherwise why it is not. */
async function waitAtTheDoor({ driver, spec, failed }: SessionTools, signal: AbortSignal): Promise<End | null> {
  const seconds = spec.leave.waitingRoomSeconds
  const entry = await driver.enter(AbortSignal.any([signal, AbortSignal.timeout(seconds * 1000)]))
  if (entry.kind === 'admitted') return null
  if (signal.aborted) return { by: 'left', message: wordsOf(signal) }
  const ends: Record<typeof entry.kind, End> = {
    refused: { by: 'refused', message: 'The host refused the bot', reason: 'HostDenied' },
    never_admitted: { by: 'never_admitted', message: `The bot was not let in within ${seconds} s`, reason: 'JoinTimeout' },
    over: { by: 'failed', message: 'The meeting ended before the bot was let in', reason: 'MeetingEnded' },
  }
  const end = ends[entry.kind]
  failed('enter', end.message, await driver.pageText())
  return end
}

async function stay(tools: SessionTools, signal: AbortSignal): Promise<End> {
  const { driver, spec, now, moved } = tools
  moved('admitted')
  const watch = createWatch(now(), spec.leave.onlyBots)
  // A greeting that the chat does not take is no reason to leave.
  if (spec.greeting)
    await driver
      .perform({ kind: 'send_message', text: spec.greeting })
      .catch((error: unknown) => tools.failed('greet', String(error), null))
  return Promise.race([untilTold(signal), untilEnded(tools, watch), untilTimeToLeave(tools, watch, signal)])
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
}

async function untilEnded({ driver, seen }: SessionTools, watch: Watch): Promise<End> {
  for await (const event of driver.events()) {
    if (event.kind === 'people' || event.kind === 'chat') seen(event)
    if (event.kind === 'ended') return ENDINGS[event.how]
    watch.see(event)
  }
  return ENDINGS.lost
}

function untilTimeToLeave({ spec, now }: SessionTools, watch: Watch, signal: AbortSignal): Promise<End> {
  return new Promise((resolve) => {
    const timer = setInterval(() => {
      const reason = reasonToLeave(spec.leave, watch.facts(now()))
      if (reason) resolve({ by: 'left', message: reason.message })
      if (reason || signal.aborted) clearInterval(timer)
    }, LOOK_EVERY_MS)
    timer.unref()
  })
}

/** Something broke that is nobody's outcome: the truth is told, with what can still be seen. */
async function giveUp({ driver, moved, failed }: SessionTools, step: string, error: unknown): Promise<void> {
  const message = error instanceof Error ? error.message : String(error)
  failed(step, message, await driver.pageText())
  moved('join_failed', { message, reason: 'InternalError' })
  // Where it was past the door already, the table has the other way out.
  moved('leaving', { message })
  moved('failed', { message, reason: 'InternalError' })
}

function wordsOf(signal: AbortSignal): string {
  return typeof signal.reason === 'string' ? signal.reason : 'Removed on request'
}
