// The worker process: keeps a browser open, seats a few bots, receives orders and sends reports. The service starts it, and it ends with the service.

import type { LossReason } from '../../domain/absences.ts'
import type { BotId } from '../../domain/bot.ts'
import {
  type BotOrders,
  COMMAND_KEPT_MS,
  type CommandProblem,
  type FromWorker,
  type ToWorker,
  unreachable,
  type WorkerLog,
} from '../../domain/protocol.ts'
import type { NativeSettings } from '../../domain/speech-providers.ts'
import { firstLine } from '../../kit/failure.ts'
import { monotonicMs } from '../../kit/monotonic.ts'
import { createOncePerKey } from '../../kit/once-per-key.ts'
import { openSpeech, type Speech } from '../../speech/registry.ts'
import { Browsers, type BrowsersOptions } from '../drivers/browsers.ts'
import { driverOf } from '../drivers/registry.ts'
import { takeSeat } from './seat.ts'
import { SeatedBot } from './seated-bot.ts'

/** How often claims are checked, and how long a bot may take to leave when its claim lapses. */
const CHECK_EVERY_MS = 250
const DROP_WITHIN_MS = 1_000
const ALIVE_EVERY_MS = 1_000

const [mode, chromium, ...flags] = process.argv.slice(2)
/** The last segments are on the disk before that: they are written every second. */
const LEAVE_WITHIN_MS = 4_500
const bots = new Map<BotId, SeatedBot>()
const browsers = new Browsers<BotOrders>({
  mode: mode as BrowsersOptions<BotOrders>['mode'],
  executable: chromium || undefined,
  flags,
  log,
  onDied,
})
const performed = createOncePerKey<CommandProblem | null>({ forMs: COMMAND_KEPT_MS, nowMs: monotonicMs })
let speech: Speech | null = null
/** Why the last renewal failed. Null: it succeeded, or nothing is known of it. */
let notRenewed: LossReason | null = null

process.on('message', (message: ToWorker) => {
  if (message.kind === 'attend') take(message)
  if (message.kind === 'hold') hold(message)
  if (message.kind === 'not_renewed') notRenewed = message.reason
  if (message.kind === 'leave') bots.get(message.botId)?.leave(message.message)
  if (message.kind === 'expect') bots.get(message.botId)?.seat?.expectOther()
  if (message.kind === 'perform') void perform(message)
  if (message.kind === 'glance') glance(message)
})
// The service has ended, and another node will claim the bots.
process.on('disconnect', () => {
  setTimeout(() => process.exit(1), LEAVE_WITHIN_MS).unref()
  void leaveAll().finally(() => process.exit(0))
})

setInterval(dropLapsed, CHECK_EVERY_MS)
setInterval(() => {
  const isStarved = [...bots.values()].some(({ seat }) => seat?.isStarved())
  report({ kind: 'alive', bots: [...bots].filter(([, bot]) => bot.isAlive()).map(([botId]) => botId), isStarved })
}, ALIVE_EVERY_MS)

function report(message: FromWorker | WorkerLog): void {
  // A channel that closes meanwhile is no error: `disconnect` follows.
  if (process.connected) process.send?.(message, undefined, undefined, () => undefined)
}

function log(level: WorkerLog['level'], message: string, detail?: string, botId: BotId | null = null): void {
  report({ kind: 'log', level, botId, message, ...(detail && { detail }) })
}

function take({ orders, holdUntilMs }: Extract<ToWorker, { kind: 'attend' }>): void {
  const bot = new SeatedBot({
    orders,
    report,
    holdUntilMs,
    nowMs: monotonicMs,
    async openSeat(toService) {
      const { profile } = driverOf(orders.driver)
      const opened = await browsers.take(profile.browser, orders)
      const freshBrowser = () => browsers.replace(profile.browser, orders)
      return takeSeat({ ...opened, freshBrowser, report: toService, log, now: Date.now, speechWith }, orders)
    },
    onStartFailed: (message) => log('error', 'a bot could not start', message, orders.botId),
  })
  bots.set(orders.botId, bot)
  void bot.done.then(() => {
    browsers.leave(orders)
    // The bot may have rejoined under a newer claim.
    if (bots.get(orders.botId) === bot) bots.delete(orders.botId)
  })
}

function hold({ bots: held, untilMs }: Extract<ToWorker, { kind: 'hold' }>): void {
  notRenewed = null
  for (const botId of held) {
    const bot = bots.get(botId)
    if (bot) bot.holdUntilMs = untilMs
  }
}

/** Another node may claim a bot whose claim lapsed, so the bot leaves its meeting before that. */
function dropLapsed(): void {
  const isLapsed = (bot: SeatedBot): boolean => monotonicMs() > bot.holdUntilMs
  if (![...bots.values()].some(isLapsed)) return
  // After a pause of this process the renewal may be in the channel: it is read before the second turn.
  setImmediate(() =>
    setImmediate(() => {
      for (const bot of bots.values()) if (isLapsed(bot)) void drop(bot)
    }),
  )
}

async function drop(bot: SeatedBot): Promise<void> {
  // A bot that is not out in time leaves with this process. The rest of its recording may be written later.
  const timer = setTimeout(() => process.exit(1), DROP_WITHIN_MS)
  // A service that says nothing is paused, or this process was, or the machine has no time for them.
  await bot.drop(notRenewed ?? 'Paused')
  clearTimeout(timer)
}

/** One recogniser for all seats, with a process only while audio is transcribed. All bots of a node have the same weights. */
function speechWith(weights: NativeSettings): Speech {
  speech ??= openSpeech(weights)
  return speech
}

// Opens the browser before the first bot comes.
browsers.warm().catch((error: Error) => log('error', 'the browser of a worker does not start', firstLine(error)))

function onDied(users: ReadonlySet<BotOrders>): void {
  if (process.connected) log('warn', 'the browser of a worker ended')
  // Which of several bots caused it is unknown.
  if (users.size > 1) for (const { botId } of users) bots.get(botId)?.blameNeighbour()
}

async function perform({ botId, requestId, commandId, command }: Extract<ToWorker, { kind: 'perform' }>): Promise<void> {
  const seat = bots.get(botId)?.seat
  const run = () => performed(`${botId} ${commandId}`, async () => seat?.perform(command) ?? null)
  const problem = seat ? await run() : unreachable('The bot is not in this worker')
  report({ kind: 'performed', requestId, problem })
}

function glance({ botId, requestId }: Extract<ToWorker, { kind: 'glance' }>): void {
  report({ kind: 'glanced', requestId, glance: bots.get(botId)?.seat?.glance() ?? null })
}

async function leaveAll(): Promise<void> {
  for (const bot of bots.values()) bot.leave('The service stopped')
  await Promise.all([...bots.values()].map(({ done }) => done))
  await speech?.stop()
  await browsers.close()
}
