// Starts the calendars: accounts at their providers, and the loop that syncs them.
import { urlProblem } from '../../kit/http-client.ts'
import type { CalendarDeps, OpenAccount } from './deps.ts'
import { type CalendarSyncs, startCalendarSyncs } from './due-syncs.ts'
import { openGoogle } from './google.ts'
import { openOutlook } from './outlook.ts'

export type CalendarOptions = Omit<CalendarDeps, 'openAccount' | 'opened' | 'pushUrl'> & {
  readonly random: () => number
  /** False: connections are synced on request only. Another process syncs those that are due. */
  readonly syncsDue: boolean
  readonly googleApiUrl: string
  readonly googleTokenUrl: string
  readonly graphUrl: string
  readonly microsoftLoginUrl: string
  /** The operator's PUBLIC_URL, if set. */
  readonly givenUrl: string | undefined
  /** For development: accepts http and private addresses. */
  readonly allowPrivate: boolean
}

export function startCalendars({ givenUrl, allowPrivate, syncsDue, ...options }: CalendarOptions): {
  calendar: CalendarDeps
  calendarSyncs: CalendarSyncs
} {
  const { random, now } = options
  const openAccount: OpenAccount = (provider, credentials, onRefreshToken) =>
    provider === 'google'
      ? openGoogle(credentials, { apiUrl: options.googleApiUrl, tokenUrl: options.googleTokenUrl, random, now })
      : openOutlook(credentials, { graphUrl: options.graphUrl, loginUrl: options.microsoftLoginUrl, random, now, onRefreshToken })
  // Providers push only to a public address. Otherwise calendars are polled.
  const isPublic = givenUrl !== undefined && urlProblem(givenUrl, { schemes: ['https'], allowPrivate }) === null
  const calendar: CalendarDeps = { ...options, openAccount, opened: new Map(), pushUrl: () => (isPublic ? givenUrl : null) }
  return { calendar, calendarSyncs: startCalendarSyncs(calendar, syncsDue) }
}
