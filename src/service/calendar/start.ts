// The calendar room, opened: accounts at their providers, and the syncer that keeps the mirror true.
import { urlProblem } from '../../kit/outgoing.ts'
import type { CalendarDeps, OpenAccount } from './deps.ts'
import { openGoogle } from './google.ts'
import { openOutlook } from './outlook.ts'
import { type Syncer, startSyncer } from './syncer.ts'

export type CalendarOptions = Omit<CalendarDeps, 'openAccount' | 'opened' | 'pushUrl'> & {
  readonly random: () => number
  readonly googleApiUrl: string
  readonly googleTokenUrl: string
  readonly graphUrl: string
  readonly microsoftLoginUrl: string
  /** The address that the operator gave this server, if any. */
  readonly givenUrl: string | undefined
  /** Development: http and private addresses are as good as public ones. */
  readonly allowPrivate: boolean
}

export function startCalendars({ givenUrl, allowPrivate, ...options }: CalendarOptions): { calendar: CalendarDeps; syncer: Syncer } {
  const { random, now } = options
  const openAccount: OpenAccount = (provider, credentials, onRefreshToken) =>
    provider === 'google'
      ? openGoogle(credentials, { apiUrl: options.googleApiUrl, tokenUrl: options.googleTokenUrl, random, now })
      : openOutlook(credentials, { graphUrl: options.graphUrl, loginUrl: options.microsoftLoginUrl, random, now, onRefreshToken })
  // Providers push only to an address they can reach; everywhere else calendars are polled.
  const isPublic = givenUrl !== undefined && urlProblem(givenUrl, { schemes: ['https'], allowPrivate }) === null
  const calendar: CalendarDeps = { ...options, openAccount, opened: new Map(), pushUrl: () => (isPublic ? givenUrl : null) }
  return { calendar, syncer: startSyncer(calendar) }
}
