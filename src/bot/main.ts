// The host process: one warm browser, a few seats, orders in, reports out. Started by the service, by path; it ends with it.

import type { BotId } from '../domain/bot.ts'
import { type BotOrders, type FromHost, type HostLog, type ToHost, unreachable } from '../domain/protocol.ts'
import type { NativeSettings } from '../domain/speech-providers.ts'
import { firstLine } from '../kit/failure.ts'
import { monotonicMs } from '../kit/monotonic.ts'
import { openSpeech, type Speech } from '../speech/registry.ts'
import { Browsers, type BrowsersOptions } from './drivers/browsers.ts'
import { driverOf } from './drivers/registry.ts'
import { takeSeat } from './seat.ts'
import { Sitting } from './sitting.ts'

/** How often the time of each claim is looked at, and how long a bot has for going when it is over. */
const LOOK_EVERY_MS = 250
const DROP_WITHIN_MS = 2_000
const ALIVE_EVERY_MS = 1_000

const [mode, chromium, ...flags] = process.argv.slice(2)
/** The last segments are on the disk long before: they are written every second. */
const LEAVE_WITHIN_MS = 4_500
const sittings = new Map<BotId, Sitting>()
const browsers = new Browsers<BotOrders>({
  mode: mode as BrowsersOptions<BotOrders>['mode'],
  executable: chromium || undefined,
  ...{ flags, log, onDied },
})
let speech: Speech | null = null

process.on('message', (message: ToHost) => {
  if (message.kind === 'attend') take(message)
  if (message.kind === 'hold') hold(message)
  if (message.kind === 'leave') sittings.get(message.botId)?.leave(message.message)
  if (message.kind === 'perform') void perform(message)
  if (message.kind === 'glance') glance(message)
})
// The service is gone, and with it the right to sit in these meetings: another one will send the bots again.
process.on('disconnect', () => {
  setTimeout(() => process.exit(1), LEAVE_WITHIN_MS).unref()
  void leaveAll().finally(() => process.exit(0))
})

setInterval(dropLapsed, LOOK_EVERY_MS)
setInterval(() => {
  report({ kind: 'alive', bots: [...sittings].filter(([, sitting]) => sitting.isAlive()).map(([botId]) => botId) })
}, ALIVE_EVERY_MS)

function report(message: FromHost | HostLog): void {
  // A channel that closes meanwhile is not an error: `disconnect` follows.
  if (process.connected) process.send?.(message, undefined, undefined, () => undefined)
}

function log(level: HostLog['level'], message: string, detail?: string, botId: BotId | null = null): void {
  report({ kind: 'log', level, botId, message, ...(detail && { detail }) })
}

function take({ orders, holdUntilMs }: Extract<ToHost, { kind: 'attend' }>): void {
  const sitting = new Sitting({
    ...{ orders, report, holdUntilMs, nowMs: monotonicMs },
    async openSeat(toService) {
      const { profile } = driverOf(orders.spec.meeting.platform)
      const opened = await browsers.take(profile.browser, orders)
      return takeSeat({ ...opened, report: toService, log, now: Date.now, speechWith }, orders)
    },
    onStartFailed: (message) => log('error', 'a bot could not start', message, orders.botId),
  })
  sittings.set(orders.botId, sitting)
  void sitting.done.then(() => {
    browsers.leave(orders)
    // The bot may have come back meanwhile, under a newer claim.
    if (sittings.get(orders.botId) === sitting) sittings.delete(orders.botId)
  })
}

function hold({ bots, untilMs }: Extract<ToHost, { kind: 'hold' }>): void {
  for (const botId of bots) {
    const sitting = sittings.get(botId)
    if (sitting) sitting.holdUntilMs = untilMs
  }
}

/** A claim that was not renewed lapses soon, and another node may then send the bot: its meeting is left before that. */
function dropLapsed(): void {
  for (const sitting of sittings.values()) if (monotonicMs() > sitting.holdUntilMs) void drop(sitting)
}

async function drop(sitting: Sitting): Promise<void> {
  // A session that does not end by itself ends with its browser.
  const timer = setTimeout(() => process.exit(1), DROP_WITHIN_MS)
  await sitting.drop('DatabaseUnreachable')
  await sitting.done
  clearTimeout(timer)
}

/** One recogniser for all seats, which has a process only while somebody is listened to. The weights are the same for all bots of a node. */
function speechWith(weights: NativeSettings): Speech {
  speech ??= openSpeech(weights)
  return speech
}

// Open before the first bot comes.
browsers.warm().catch((error: Error) => log('error', 'the browser of a bot host does not start', firstLine(error)))

function onDied(users: ReadonlySet<BotOrders>): void {
  if (process.connected) log('warn', 'the browser of a bot host ended')
  // Which of several bots it died of is unknown.
  if (users.size > 1) for (const { botId } of users) sittings.get(botId)?.blameNeighbour()
}

async function perform({ botId, requestId, command }: Extract<ToHost, { kind: 'perform' }>): Promise<void> {
  const seat = sittings.get(botId)?.seat
  const problem = seat ? await seat.perform(command) : unreachable('The bot is not in this host')
  report({ kind: 'performed', requestId, problem })
}

function glance({ botId, requestId }: Extract<ToHost, { kind: 'glance' }>): void {
  report({ kind: 'glanced', requestId, glance: sittings.get(botId)?.seat?.glance() ?? null })
}

async function leaveAll(): Promise<void> {
  for (const sitting of sittings.values()) sitting.leave('The service stopped')
  await Promise.all([...sittings.values()].map(({ done }) => done))
  await speech?.stop()
  await browsers.close()
}
