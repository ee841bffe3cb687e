// The host process: one warm browser, a few seats, orders in, reports out. Started by the service, by path; it ends with it.

import type { BotId } from '../domain/bot.ts'
import type { BotOrders, FromHost, ToHost } from '../domain/protocol.ts'
import type { NativeSettings } from '../domain/speech-providers.ts'
import { openSpeech, type Speech } from '../speech/registry.ts'
import { type Browser, launchBrowser } from './drivers/browser.ts'
import { type Seat, takeSeat } from './seat.ts'

type Sitting = { readonly leave: AbortController; seat: Seat | null; readonly done: Promise<void> }

const [chromium, ...flags] = process.argv.slice(2)
const sittings = new Map<BotId, Sitting>()
let browser: Promise<Browser> | null = null
let speech: Speech | null = null

process.on('message', (message: ToHost) => {
  if (message.kind === 'attend') take(message.orders)
  if (message.kind === 'leave') sittings.get(message.botId)?.leave.abort(message.message)
  if (message.kind === 'perform') void perform(message)
})
// The service is gone, and with it the right to sit in these meetings: another one will send the bots again.
process.on('disconnect', () => void leaveAll().finally(() => process.exit(0)))

function report(message: FromHost): void {
  if (process.connected) process.send?.(message)
}

function take(orders: BotOrders): void {
  const leave = new AbortController()
  sittings.set(orders.botId, { leave, seat: null, done: sit(orders, leave.signal) })
}

async function sit(orders: BotOrders, signal: AbortSignal): Promise<void> {
  const { botId, fence } = orders
  let lastWord: FromHost
  try {
    const seat = await takeSeat({ browser: await warmBrowser(), report, now: Date.now, speechWith }, orders)
    const sitting = sittings.get(botId)
    if (sitting) sitting.seat = seat
    lastWord = await seat.sit(signal)
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    report({ kind: 'failed', botId, fence, step: 'start', message, pageText: null, screenshot: null, at: Date.now() })
    lastWord = { kind: 'broken', botId, fence, message }
  }
  sittings.delete(botId)
  report(lastWord)
}

/** One recogniser for all seats, which has a process only while somebody is listened to. The weights are the same for all bots of a node. */
function speechWith(weights: NativeSettings): Speech {
  speech ??= openSpeech(weights)
  return speech
}

// Open before the first bot comes. One that cannot be opened is told by the bot that needs it.
warmBrowser().catch(() => undefined)

/** One browser for all seats; a crashed one is replaced by the next bot that needs it. */
async function warmBrowser(): Promise<Browser> {
  browser ??= launchBrowser(chromium || undefined, flags)
  const it = await browser.catch((error: unknown) => {
    browser = null
    throw error
  })
  it.once('disconnected', () => {
    browser = null
  })
  return it
}

async function perform({ botId, requestId, command }: ToHost & { kind: 'perform' }): Promise<void> {
  const seat = sittings.get(botId)?.seat
  const problem = seat ? await seat.perform(command) : { fault: 'bot' as const, message: 'The bot is not in this host' }
  report({ kind: 'performed', requestId, problem })
}

async function leaveAll(): Promise<void> {
  for (const { leave } of sittings.values()) leave.abort('The service stopped')
  await Promise.all([...sittings.values()].map(({ done }) => done))
  await speech?.stop()
  await (await browser)?.close()
}
