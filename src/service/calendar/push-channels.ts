// Push channels: subscribes to change notifications of providers that can reach this service, and renews them before they expire.
import { randomBytes, timingSafeEqual } from 'node:crypto'
import { newId } from '../../kit/id.ts'
import { digestOfToken } from '../accounts/secret-token.ts'
import { type Calendar, findByChannel, writeChannel } from '../db/calendar/calendars.ts'
import { makeDue } from '../db/calendar/connections.ts'
import type { CalendarDeps } from './deps.ts'
import { type CalendarAccount, ProviderError } from './provider.ts'

const HOUR_MS = 3_600_000
/** Microsoft allows a little less than seven days. */
const LASTS_MS = 6 * 24 * HOUR_MS
const RENEWED_BEFORE_MS = 24 * HOUR_MS

/** Renews the channel of every calendar. A calendar without one is polled. */
export async function renewChannels(deps: CalendarDeps, account: CalendarAccount, calendars: readonly Calendar[]): Promise<void> {
  const base = deps.pushUrl()
  if (base === null) return
  for (const calendar of calendars) {
    if (calendar.channel && calendar.channel.until.getTime() > deps.now().getTime() + RENEWED_BEFORE_MS) continue
    try {
      await renew(deps, account, calendar, base)
    } catch (error) {
      // Holiday calendars and the like have no notifications.
      if (!(error instanceof ProviderError) || error.fault === 'revoked') throw error
      deps.log.info({ calendarId: calendar.id, reason: error.message }, 'calendar has no push notifications; it is polled')
    }
  }
}

async function renew(deps: CalendarDeps, account: CalendarAccount, calendar: Calendar, base: string): Promise<void> {
  const channelId = newId('chn', deps.now())
  const secret = randomBytes(24).toString('base64url')
  const until = new Date(deps.now().getTime() + LASTS_MS)
  const address = `${base}/hooks/calendar/${account.provider}`
  const made = await account.watch(calendar, { channelId, secret, address, until })
  // Microsoft names the channel itself.
  const id = account.provider === 'outlook' ? made.resource : channelId
  await writeChannel(deps.db, calendar.id, { id, resource: made.resource, digest: digestOfToken(secret), until: made.until })
  if (calendar.channel) await stopChannel(deps, account, calendar)
}

/** A channel that cannot be stopped expires within days. Until then its secret is no longer accepted. */
export async function stopChannel(deps: Pick<CalendarDeps, 'log'>, account: CalendarAccount, { channel, id }: Calendar): Promise<void> {
  if (!channel) return
  await account.unwatch(channel).catch((error: unknown) => {
    if (!(error instanceof ProviderError)) throw error
    deps.log.info({ calendarId: id, reason: error.message }, 'push channel could not be stopped; it expires')
  })
}

/** Handles a notification. False: the channel or its secret is unknown. */
export async function onPush({ db }: Pick<CalendarDeps, 'db'>, channelId: string, secret: string): Promise<boolean> {
  const calendar = await findByChannel(db, channelId)
  if (!calendar?.channel || !timingSafeEqual(digestOfToken(secret), calendar.channel.digest)) return false
  await makeDue(db, calendar.connectionId)
  return true
}
