// One bot from create to Done, and what each step of it costs.
import { setTimeout as delay } from 'node:timers/promises'
import { coresBetween, spentBy, statOf } from '../harness/machine.ts'
import { type Cost, measure, treesOf } from '../harness/processes.ts'
import type { BenchServer } from '../harness/server.ts'
import { type BotFields, eventually, recordedDuring, removeBot, request, sendBot, untilRecorded, workersOf } from '../meeting/bots.ts'
import type { openMeeting } from '../meeting/room-meeting.ts'
import { type StepCosts, StepMeter } from './step-meter.ts'

export type SharedMeeting = Awaited<ReturnType<typeof openMeeting>>

export type Order = {
  readonly fields: BotFields
  /** The measured part of the stay, without a shared screen. */
  readonly windowSeconds: number
  /** A screen is shared for this long afterwards. */
  readonly sharedSeconds: number
}

export type Attended = {
  readonly window: Cost
  /** CPU seconds per minute of service and database during the window. */
  readonly servicePerMinute: number
  /** CPU seconds of the worker until everybody is recorded, and from the order to leave until it has left, less those of the stay. */
  readonly joinSeconds: number
  /** From leaving to Done. */
  readonly after: StepCosts
  readonly minutes: number
  readonly doneSeconds: number
  readonly lost: boolean
}

/** Senders need this long to estimate the bandwidth. */
const SETTLE_MS = 3_000
const MINUTE_MS = 60_000
/** Each look costs the service a request. */
const LOOK_EVERY_MS = 1_000
const DONE_WITHIN_MS = 180_000

export async function attend(server: BenchServer, meeting: SharedMeeting, order: Order): Promise<Attended> {
  const spent = () => treesOf(workersOf(server)).reduce((sum, pid) => sum + (statOf(pid)?.seconds ?? 0), 0)
  const [created, beforeJoin] = [performance.now(), spent()]
  const attendance = await sendBot(server, meeting, order.fields)
  await untilRecorded(server, attendance)
  const [joinedAt, joinSpent] = [performance.now(), spent() - beforeJoin]
  await delay(SETTLE_MS)

  const serviceBefore = spentBy(server)
  let measuring: Promise<Cost> | null = null
  const { lost } = await recordedDuring(server, attendance, () => {
    measuring ??= measure(workersOf(server), order.windowSeconds)
    return measuring
  })
  const window = await (measuring ?? measure(workersOf(server), order.windowSeconds))
  const cores = coresBetween(serviceBefore, spentBy(server))
  if (order.sharedSeconds > 0) await shareFor(meeting, order.sharedSeconds)

  const [leavingAt, beforeLeave] = [performance.now(), spent()]
  const meter = new StepMeter(server)
  await removeBot(server, attendance.bot)
  // The time of a process is gone with it.
  const leaveSpent = Math.max(0, spent() - beforeLeave)
  await untilDone(server, attendance.bot)
  const stayed = ((joinedAt - created) / MINUTE_MS) * window.cpuPerMinute
  return {
    window,
    servicePerMinute: 60 * (cores.service + cores.database),
    joinSeconds: Math.max(0, joinSpent - stayed) + leaveSpent,
    after: meter.stop(),
    minutes: (leavingAt - joinedAt) / MINUTE_MS,
    doneSeconds: (performance.now() - leavingAt) / 1_000,
    lost,
  }
}

async function shareFor(meeting: SharedMeeting, seconds: number): Promise<void> {
  await meeting.share(true)
  await delay(seconds * 1_000)
  await meeting.share(false)
}

async function untilDone(server: BenchServer, bot: string): Promise<void> {
  type Detail = { readonly bot_details: { readonly StatusTimeline: Readonly<Record<string, unknown>> } }
  const isDone = async () => 'Done' in (await request<Detail>(server, 'GET', `${bot}/detail`)).bot_details.StatusTimeline
  await eventually('the bot is Done', isDone, { everyMs: LOOK_EVERY_MS, withinMs: DONE_WITHIN_MS })
}
