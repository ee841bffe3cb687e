// Push channels: where the provider can reach us it says when a calendar changed, and channels are renewed before they end.
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { newId } from '../../kit/id.ts'
import { dueNow } from '../db/calendars.ts'
import { type Calendar, findByChannel, writeChannel } from '../db/calendars-list.ts'
import type { CalendarDeps } from './deps.ts'
import { type CalendarAccount, ProviderError } from './provider.ts'

const HOUR_MS = 3_600_000
/** Microsoft allows a little less than seven days. */
const LASTS_MS = 6 * 24 * HOUR_MS
const RENEWED_BEFORE_MS = 24 * HOUR_MS

/** A channel for every calendar, where that is possible. One that cannot be had is no failure: the calendar is polled anyway. */
export async function keepWatch(deps: CalendarDeps, account: CalendarAccount, calendars: readonly Calendar[]): Promise<void> {
  const base = deps.pushUrl()
  if (base === null) return
  for (const calendar of calendars) {
    if (calendar.channel && calendar.channel.until.getTime() > deps.now().getTime() + RENEWED_BEFORE_MS) continue
    try {
      await renew(deps, account, calendar, base)
    } catch (error) {
      // Holiday calendars and the like cannot be watched.
      if (!(error instanceof ProviderError) || error.fault === 'revoked') throw error
      deps.log.info({ calendarId: calendar.id, reason: error.message }, 'calendar cannot be watched')
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
  await writeChannel(deps.db, calendar.id, { id, resource: made.resource, digest: digestOf(secret), until: made.until })
  if (calendar.channel) await stopWatch(deps, account, calendar)
}

/** A channel that cannot be stopped ends by itself within days, and until then what it says is not believed. */
export async function stopWatch(deps: Pick<CalendarDeps, 'log'>, account: CalendarAccount, { channel, id }: Calendar): Promise<void> {
  if (!channel) return
  await account.unwatch(channel).catch((error: unknown) => {
    if (!(error instanceof ProviderError)) throw error
    deps.log.info({ calendarId: id, reason: error.message }, 'channel could not be stopped')
  })
}

/** A provider says that something changed: whoever knows the channel and its secret is believed. */
export async function onPush({ db }: Pick<CalendarDeps, 'db'>, channelId: string, secret: string): Promise<boolean> {
  const calendar = await findByChannel(db, channelId)
  if (!calendar?.channel || !timingSafeEqual(digestOf(secret), calendar.channel.digest)) return false
  await dueNow(db, calendar.connectionId)
  return true
}

function digestOf(secret: string): Buffer {
  return createHash('sha256').update(secret).digest()
}
