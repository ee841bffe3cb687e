// The role `calendar`: syncs calendars when they are due. The API opens them too, for requests that sync at once.
import { urlProblem } from '../kit/http-client.ts'
import { type Stops, stopLater } from '../kit/stop-all.ts'
import { botPreparer } from './api/calendar/event-bot.ts'
import type { CalendarDeps, OpenAccount } from './calendar/deps.ts'
import { startCalendarSyncs } from './calendar/due-syncs.ts'
import { openGoogle } from './calendar/google.ts'
import { openOutlook } from './calendar/outlook.ts'
import type { Config } from './config.ts'
import type { NodeParts } from './open-node.ts'

export type Calendars = ReturnType<typeof startCalendar>

export function startCalendar(parts: NodeParts, stops: Stops) {
  const { config, now } = parts
  const calendar: CalendarDeps = {
    ...parts,
    pushUrl: () => pushUrlIn(config),
    pollSeconds: config.CALENDAR_POLL_SECONDS,
    openAccount: opener(config, now),
    opened: new Map(),
    prepareBot: botPreparer(parts),
  }
  // Without the role, connections are synced on request only: another process syncs those that are due.
  const calendarSyncs = stopLater(stops, startCalendarSyncs(calendar, config.ROLES.includes('calendar')))
  return { calendar, calendarSyncs }
}

function opener(config: Config, now: () => Date): OpenAccount {
  const common = { random: Math.random, now }
  return (provider, credentials, onRefreshToken) =>
    provider === 'google'
      ? openGoogle(credentials, { ...common, apiUrl: config.GOOGLE_API_URL, tokenUrl: config.GOOGLE_OAUTH_URL })
      : openOutlook(credentials, {
          ...common,
          graphUrl: config.MICROSOFT_GRAPH_URL,
          loginUrl: config.MICROSOFT_LOGIN_URL,
          onRefreshToken,
        })
}

/** Providers push only to a public address. Null: calendars are polled. */
function pushUrlIn({ PUBLIC_URL: url, ALLOW_INSECURE_URLS: allowPrivate }: Config): string | null {
  return url !== undefined && urlProblem(url, { schemes: ['https'], allowPrivate }) === null ? url : null
}
