// The host process: one warm browser, a few seats, orders in, reports out. Started by the service, by path; it ends with it.

import type { BotId } from '../domain/bot.ts'
import type { MeetingEvent } from '../domain/meeting.ts'
import type { BotOrders, FromHost, ToHost } from '../domain/protocol.ts'
import { type Browser, launchBrowser } from './drivers/browser.ts'
import type { MeetingDriver } from './drivers/driver.ts'
import { createDriver } from './drivers/registry.ts'
import { attend } from './session.ts'

type Seat = { readonly leave: AbortController; driver: MeetingDriver | null; readonly done: Promise<void> }

const [chromium] = process.argv.slice(2)
const seats = new Map<BotId, Seat>()
let browser: Promise<Browser> | null = null

process.on('message', (message: ToHost) => {
  if (message.kind === 'attend') take(message.orders)
  if (message.kind === 'leave') seats.get(message.botId)?.leave.abort(message.message)
  if (message.kind === 'perform') void perform(message)
})
// The service is gone, and with it the right to sit in these meetings: another one will send the bots again.
process.on('disconnect', () => void leaveAll().finally(() => process.exit(0)))

function report(message: FromHost): void {
  if (process.connected) process.send?.(message)
}

function take(orders: BotOrders): void {
  const leave = new AbortController()
  const seat: Seat = { leave, driver: null, done: sit(orders, leave.signal) }
  seats.set(orders.botId, seat)
}

async function sit({ botId, fence, spec }: BotOrders, signal: AbortSignal): Promise<void> {
  const now = Date.now
  const moved = (by: (FromHost & { kind: 'moved' })['by'], words: object = {}) =>
    report({ kind: 'moved', botId, fence, by, at: now(), ...words })
  const failed = (step: string, message: string, pageText: string | null) =>
    report({ kind: 'failed', botId, step, message, pageText, at: now() })
  try {
    const driver = await createDriver({ browser: await warmBrowser(), spec, now })
    const seat = seats.get(botId)
    if (seat) seat.driver = driver
    await attend({ driver, spec, now, moved, failed, seen: (event) => report(sighting(botId, event)) }, signal)
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    failed('start', message, null)
    moved('join_failed', { message, reason: 'BrowserCrashed' })
  }
  seats.delete(botId)
  report({ kind: 'finished', botId, fence })
}

function sighting(botId: BotId, event: Extract<MeetingEvent, { kind: 'people' | 'chat' }>): FromHost {
  if (event.kind === 'people') return { kind: 'people', botId, roster: { others: event.others, spokenMs: event.spokenMs, at: event.at } }
  const { from, name, text, at } = event
  return { kind: 'chat', botId, message: { from, name, text, at } }
}

/** One browser for all seats; a crashed one is replaced by the next bot that needs it. */
async function warmBrowser(): Promise<Browser> {
  browser ??= launchBrowser(chromium || undefined)
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
  const driver = seats.get(botId)?.driver
  const problem = driver ? await driver.perform(command).then(() => null, String) : 'The bot is not in this host'
  report({ kind: 'performed', requestId, problem })
}

async function leaveAll(): Promise<void> {
  for (const { leave } of seats.values()) leave.abort('The service stopped')
  await Promise.all([...seats.values()].map(({ done }) => done))
  await (await browser)?.close()
}
