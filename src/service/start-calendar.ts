// The role `calendar`: syncs calendars when they are due. The API opens them too, for requests that sync at once.
import type { Stops } from '../kit/stop-all.ts'
import { botPreparer } from './api/calendar/event-bot.ts'
import { startCalendars } from './calendar/start.ts'
import type { NodeParts } from './open-node.ts'

export type Calendars = ReturnType<typeof startCalendars>

export function startCalendar(parts: NodeParts, stops: Stops): Calendars {
  const { config, db, log, vault, fleet, now, publicUrl } = parts
  const calendars = startCalendars({
    ...{ db, log, vault, fleet, now, publicUrl },
    random: Math.random,
    syncsDue: config.ROLES.includes('calendar'),
    prepareBot: botPreparer(parts),
    pollSeconds: config.CALENDAR_POLL_SECONDS,
    googleApiUrl: config.GOOGLE_API_URL,
    googleTokenUrl: config.GOOGLE_OAUTH_URL,
    graphUrl: config.MICROSOFT_GRAPH_URL,
    microsoftLoginUrl: config.MICROSOFT_LOGIN_URL,
    givenUrl: config.PUBLIC_URL,
    allowPrivate: config.ALLOW_INSECURE_URLS,
  })
  stops.push(() => calendars.calendarSyncs.stop())
  return calendars
}
