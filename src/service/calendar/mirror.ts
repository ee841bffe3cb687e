// Writes a provider's changes to the mirror, and plans the bots of every changed event.
import { type EventChange, type GoneEvent, occurrenceKeyOf, type PresentEvent } from '../../domain/calendar.ts'
import { findConference } from '../../domain/conference-link.ts'
import type { Calendar } from '../db/calendar/calendars.ts'
import { type Connection, holdSync } from '../db/calendar/connections.ts'
import {
  dropDerived,
  endSeries,
  inheritFromMasters,
  type Master,
  type MirroredEvent,
  markExpanded,
  markGone,
  mastersToExpand,
  type Place,
  writeEvents,
} from '../db/calendar/mirror.ts'
import { lockPlans } from '../db/calendar/plan.ts'
import { type Db, inTransaction } from '../db/database.ts'
import { LEASES } from '../leases.ts'
import type { CalendarDeps } from './deps.ts'
import { type Outcome, replan } from './plan.ts'
import { occurrencesOf } from './recurrence.ts'

const DAY_MS = 86_400_000
/** Occurrences are expanded this far ahead: the scheduling horizon and one day. */
export const EXPANDED_MS = 91 * DAY_MS
const BEHIND_MS = DAY_MS
const MASTERS_AT_ONCE = 20

/** Another sync of this connection began, or it was disconnected: this sync must not write any more. */
export class SupersededError extends Error {}

export type Sync = { readonly deps: CalendarDeps; readonly connection: Connection; readonly onOutcome: (outcome: Outcome) => void }

/** Writes and plans in one transaction, if the claim is still the newest. */
export async function writeUnderClaim(sync: Sync, write: (tx: Db, at: Date) => Promise<readonly string[]>): Promise<void> {
  const { deps, connection } = sync
  const at = deps.now()
  const { workspaceId } = connection
  const outcome = await inTransaction(deps.db, async (tx) => {
    await lockPlans(tx, workspaceId)
    if (!(await holdSync(tx, connection, LEASES.calendarSync.seconds))) throw new SupersededError('calendar: a newer sync took over')
    return replan({ ...deps, tx, workspaceId, at }, await write(tx, at))
  })
  announceOutcome(deps, outcome)
  sync.onOutcome(outcome)
}

/** Wakes delivery and dispatch after the plan is committed. */
export function announceOutcome({ fleet }: Pick<CalendarDeps, 'fleet'>, { created, changed, cancelled }: Outcome): void {
  if (created + cancelled > 0) fleet.onNews()
  if (created + changed > 0) fleet.onDue()
}

export async function writeChanges(
  sync: Sync,
  calendar: Calendar,
  changes: readonly EventChange[],
  more: (tx: Db) => Promise<void>,
): Promise<void> {
  const { workspaceId, userId, provider } = sync.connection
  const place: Place = { workspaceId, userId, calendar }
  // A page may contain an event twice. The last one counts.
  const last = [...new Map(changes.map((change) => [change.platformId, change])).values()]
  const roomBase = sync.deps.publicUrl()
  const rowOf = (change: EventChange) =>
    change.kind === 'gone' ? tombstone(change, calendar.id) : presentRow(change, calendar.id, roomBase)
  const rows = last.flatMap((change) => rowOf(change) ?? [])
  const gone = last.filter(({ kind }) => kind === 'gone').map(({ platformId }) => platformId)
  const masters = rows.filter(({ kind }) => kind === 'master').map(({ platformId }) => platformId)
  const singles = rows.filter(({ kind }) => kind === 'single').map(({ platformId }) => platformId)
  await writeUnderClaim(sync, async (tx, at) => {
    const written = await writeEvents(tx, place, rows, { at, yields: false })
    const ended = [...(await markGone(tx, calendar, gone, at)), ...(await endSeries(tx, calendar, singles, at))]
    // Google's occurrences are expanded from their masters. Microsoft sends occurrences, but only with their times.
    const heirs = provider === 'outlook' ? await inheritFromMasters(tx, calendar.id, masters, at) : []
    await more(tx)
    return [...new Set([...written, ...ended, ...heirs])]
  })
}

/** A cancelled occurrence needs a row, or the rule would bring it back. */
function tombstone(gone: GoneEvent, calendarId: string): MirroredEvent | null {
  const { platformId, masterPlatformId, originalStart } = gone
  if (!masterPlatformId || !originalStart) return null
  return {
    ...gone,
    kind: 'occurrence',
    isDerived: false,
    occurrenceKey: occurrenceKeyOf(gone, calendarId),
    title: '',
    start: originalStart,
    end: originalStart,
    isAllDay: false,
    timeZone: 'UTC',
    recurrence: [],
    isDeleted: true,
    isDeclined: false,
    meetingUrl: null,
    meetingPlatform: null,
    meetingKey: null,
    changedAt: originalStart,
    raw: { id: platformId, status: 'cancelled', recurringEventId: masterPlatformId },
  }
}

function presentRow({ places, ...event }: PresentEvent, calendarId: string, roomBase: string): MirroredEvent {
  const link = findConference(places, roomBase)
  return {
    ...event,
    occurrenceKey: occurrenceKeyOf(event, calendarId),
    isDeleted: false,
    meetingUrl: link?.url ?? null,
    meetingPlatform: link?.platform ?? null,
    meetingKey: link?.key ?? null,
  }
}

/** Expands changed masters, and all masters as time passes; a few in each transaction. */
export async function expandMasters(sync: Sync, calendar: Calendar): Promise<void> {
  const { deps } = sync
  for (;;) {
    const now = deps.now().getTime()
    // At most once a day for an unchanged master.
    const masters = await mastersToExpand(deps.db, calendar.id, { until: new Date(now + EXPANDED_MS - DAY_MS / 2), limit: MASTERS_AT_ONCE })
    if (masters.length === 0) return
    const span = { from: new Date(now - BEHIND_MS), until: new Date(now + EXPANDED_MS) }
    await writeUnderClaim(sync, (tx, at) => writeExpansion(tx, sync, calendar, { masters, span, at }))
  }
}

type Expansion = { readonly masters: readonly Master[]; readonly span: { from: Date; until: Date }; readonly at: Date }

async function writeExpansion(tx: Db, { deps, connection }: Sync, calendar: Calendar, { masters, span, at }: Expansion): Promise<string[]> {
  const touched: string[] = []
  const place: Place = { workspaceId: connection.workspaceId, userId: connection.userId, calendar }
  for (const master of masters) {
    const rows = expand(deps, master, calendar, span)
    touched.push(...(await writeEvents(tx, place, rows, { at, yields: true })))
    const kept = rows.map(({ platformId }) => platformId)
    touched.push(...(await dropDerived(tx, calendar.id, master.platformId, { from: span.from, kept }, at)))
  }
  const expanded = masters.map(({ platformId }) => platformId)
  await markExpanded(tx, calendar.id, expanded, span.until)
  return touched
}

/** An invalid rule yields no occurrences, and must not block the rest of the calendar. */
function expand({ log }: CalendarDeps, master: Master, calendar: Calendar, span: Expansion['span']): readonly MirroredEvent[] {
  try {
    return occurrencesOf(master, calendar.id, span)
  } catch (error) {
    log.warn({ err: error, calendarId: calendar.id, rule: master.recurrence }, 'recurrence rule cannot be read')
    return []
  }
}
