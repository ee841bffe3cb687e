// Syncs one connection: its list of calendars, the changes in each, and the bots of events that come near.
import {
  beginRun,
  type Calendar,
  dropCalendar,
  type ListedCalendar,
  listCalendars,
  writeCalendars,
  writeToken,
} from '../db/calendar/calendars.ts'
import { type Connection, endSync, replanFrom, rewriteSecret } from '../db/calendar/connections.ts'
import { markGone, sweepUnseen } from '../db/calendar/mirror.ts'
import { hasMeeting } from '../db/calendar/plan.ts'
import { isUnreachable } from '../db/unreachable.ts'
import type { CalendarDeps, Opened } from './deps.ts'
import { EXPANDED_MS, expandMasters, SupersededError, type Sync, writeChanges, writeUnderClaim } from './mirror.ts'
import type { Outcome } from './plan.ts'
import { planAhead } from './plan-ahead.ts'
import { type CalendarAccount, type Credentials, ProviderError, type ReadFrom } from './provider.ts'
import { renewChannels } from './push-channels.ts'

export type SyncReport = { events: number; calendars: number; created: number; changed: number; cancelled: number }

const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS
/** The span of a full read. */
const READ_BEHIND_MS = 2 * DAY_MS
const READ_AHEAD_MS = EXPANDED_MS + 9 * DAY_MS
/** The poll interval around the start of a meeting. */
const NEAR_SECONDS = 60
const NEAR_MS = 15 * MINUTE_MS
const LONGEST_PAUSE_SECONDS = 3_600
const MOST_OPEN = 1_000

/** Opens the account with its sealed credentials. A new refresh token replaces the sealed one. */
export function accountOf({ vault, db, openAccount, opened }: CalendarDeps, { id, provider, secret }: Connection): CalendarAccount {
  const known = opened.get(id)
  if (known?.secret.equals(secret)) return known.account
  const credentials: Credentials = JSON.parse(vault.open(id, secret))
  const account = openAccount(provider, credentials, async (refreshToken) => {
    entry.secret = vault.seal(id, JSON.stringify({ ...credentials, refreshToken }))
    await rewriteSecret(db, id, entry.secret)
  })
  const entry: Opened = { account, secret }
  const [oldest] = opened.keys()
  if (opened.size >= MOST_OPEN && oldest) opened.delete(oldest)
  opened.set(id, entry)
  return account
}

/** Ends the claim in any case. Rethrows the provider's failure. */
export async function syncConnection(
  deps: CalendarDeps,
  connection: Connection,
  account = accountOf(deps, connection),
): Promise<SyncReport> {
  const report: SyncReport = { events: 0, calendars: 0, created: 0, changed: 0, cancelled: 0 }
  const shortfalls: Outcome['shortfalls'] = []
  const onOutcome = (outcome: Outcome): void => {
    report.created += outcome.created
    report.changed += outcome.changed
    report.cancelled += outcome.cancelled
    shortfalls.push(...outcome.shortfalls)
  }
  const sync: Sync = { deps, connection, onOutcome }
  try {
    const calendars = await refreshList(sync, account)
    report.calendars = calendars.length
    for (const calendar of calendars) report.events += await readCalendar(sync, account, calendar)
    await planAhead(deps, connection, (write) => writeUnderClaim(sync, write))
    await renewChannels(deps, account, calendars)
  } catch (error) {
    await endFailed(deps, connection, error)
    throw error
  }
  await replanShortfalls(sync, shortfalls)
  await endSync(deps.db, connection, { state: 'connected', error: null, nextInSeconds: await pauseUntilNext(sync) })
  return report
}

async function refreshList(sync: Sync, account: CalendarAccount): Promise<Calendar[]> {
  const { deps, connection } = sync
  const listed: readonly ListedCalendar[] = await account.calendars()
  const dropped = await writeCalendars(deps.db, connection.id, listed, deps.now())
  for (const calendar of dropped) {
    await writeUnderClaim(sync, async (tx, at) => {
      const swept = await sweepUnseen(tx, { ...calendar, run: calendar.run + 1 }, EVERYTHING, at)
      return swept.map(({ id }) => id)
    })
    await dropCalendar(deps.db, calendar.id)
  }
  return listCalendars(deps.db, connection.id)
}

const EVERYTHING = { from: new Date(0), until: null, derivedToo: true }

async function readCalendar(sync: Sync, account: CalendarAccount, calendar: Calendar): Promise<number> {
  try {
    const token = calendar.syncToken
    const changed =
      token && isWide(sync, calendar) ? await readChanges(sync, account, calendar, { token }) : await readAll(sync, account, calendar)
    if (account.provider === 'google') await expandMasters(sync, calendar)
    return changed
  } catch (error) {
    // Removed from the list during this sync. The next one no longer reads it.
    if (error instanceof ProviderError && error.fault === 'gone') return 0
    throw error
  }
}

/** Microsoft expands series until the end of the window. Google does not expand them. */
function isWide({ deps }: Sync, { windowUntil }: Calendar): boolean {
  return windowUntil === null || windowUntil.getTime() > deps.now().getTime() + EXPANDED_MS
}

async function readChanges(sync: Sync, account: CalendarAccount, calendar: Calendar, from: ReadFrom): Promise<number> {
  try {
    return await readPages(sync, account, calendar, from)
  } catch (error) {
    if (error instanceof ProviderError && error.fault === 'stale') return readAll(sync, account, calendar)
    throw error
  }
}

async function readAll(sync: Sync, account: CalendarAccount, calendar: Calendar): Promise<number> {
  const { deps } = sync
  const now = deps.now().getTime()
  const span = { since: new Date(now - READ_BEHIND_MS), until: new Date(now + READ_AHEAD_MS) }
  const windowUntil = account.provider === 'outlook' ? span.until : null
  const run = await beginRun(deps.db, calendar, windowUntil)
  const reading = { ...calendar, run }
  const seen = await readPages(sync, account, reading, span)
  await writeUnderClaim(sync, async (tx, at) => {
    const swept = await sweepUnseen(tx, reading, { from: span.since, until: windowUntil, derivedToo: windowUntil !== null }, at)
    const platformIds = swept.map(({ platformId }) => platformId)
    return [...swept.map(({ id }) => id), ...(await markGone(tx, reading, platformIds, at))]
  })
  return seen
}

async function readPages(sync: Sync, account: CalendarAccount, calendar: Calendar, from: ReadFrom): Promise<number> {
  let count = 0
  for await (const { changes, token } of account.changes(calendar, from)) {
    count += changes.length
    await writeChanges(sync, calendar, changes, async (tx) => {
      if (token) await writeToken(tx, calendar.id, token)
    })
  }
  return count
}

/** Lets the next sync plan the missing bots again. */
async function replanShortfalls({ deps, connection }: Sync, shortfalls: Outcome['shortfalls']): Promise<void> {
  const [first] = shortfalls.toSorted((a, b) => a.start.getTime() - b.start.getTime())
  if (!first) return
  deps.log.warn({ connectionId: connection.id, count: shortfalls.length, reason: first.error.message }, 'bots could not be scheduled')
  await replanFrom(deps.db, connection.id, new Date(first.start.getTime() - 1))
}

async function pauseUntilNext({ deps, connection }: Sync): Promise<number> {
  const now = deps.now().getTime()
  const isNear = await hasMeeting(deps.db, connection, { from: new Date(now - MINUTE_MS), until: new Date(now + NEAR_MS) })
  return isNear ? Math.min(NEAR_SECONDS, deps.pollSeconds) : deps.pollSeconds
}

async function endFailed({ db, pollSeconds }: CalendarDeps, connection: Connection, error: unknown): Promise<void> {
  // An outage of this service is no fault of the provider: the claim lapses, and the sync is repeated.
  if (error instanceof SupersededError || isUnreachable(error)) return
  const provider = error instanceof ProviderError ? error : null
  const message = provider?.message ?? 'The calendar could not be read. It is tried again.'
  if (provider?.fault === 'revoked') return endSync(db, connection, { state: 'revoked', error: message, nextInSeconds: null })
  const growing = pollSeconds * 2 ** Math.min(connection.failures, 6)
  const nextInSeconds = Math.min(Math.max(growing, provider?.retryAfterSeconds ?? 0), LONGEST_PAUSE_SECONDS)
  await endSync(db, connection, { state: 'connected', error: message, nextInSeconds })
}
