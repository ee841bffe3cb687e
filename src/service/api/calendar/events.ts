// GET /calendar/events: pages of events with a meeting link, in both directions, after a sync if the caller asks for one.
import type { Static } from 'typebox'
import { CALENDAR_PROVIDERS } from '../../../domain/calendar.ts'
import { invalid, ServiceError } from '../../../domain/errors.ts'
import { TERMINAL } from '../../../domain/lifecycle.ts'
import { PLATFORMS } from '../../../domain/platforms.ts'
import { providerFailed } from '../../calendar/connect.ts'
import type { Caller } from '../../calendar/schedule.ts'
import { hasCalendar } from '../../db/calendar/calendars.ts'
import { hasCalendars } from '../../db/calendar/connections.ts'
import { type CalendarEvent, type EventPosition, type LinkedBot, listEvents } from '../../db/calendar/events.ts'
import { aliased } from '../alias-paths.ts'
import type { Api, ApiDeps } from '../deps.ts'
import { readCursor, timeIn, writeCursor } from '../http/cursor.ts'
import { problems } from '../schema.ts'
import { calendarUser, connectionsOf, momentIn, noCalendar, calendarOperation as operation } from './request.ts'
import * as schemas from './schema.ts'

const DAY_MS = 86_400_000

export function calendarEventRoutes(app: Api, deps: ApiDeps): void {
  const response = { 200: schemas.EventPage, ...problems('calendar_not_connected', 'conflict', 'calendar_failed') }
  const listing = operation('listCalendarEvents', 'List events with a meeting link', { querystring: schemas.EventQuery, response })
  for (const { path, schema } of aliased(listing, '/calendar/events', '/calendar/events/list')) {
    app.get(path, { schema }, async (request) => {
      const caller = calendarUser(request)
      const filter = filterFrom(request.query, deps.now())
      if (request.query.sync) await syncAll(deps, caller)
      else if (!(await hasCalendars(deps.db, caller.userId))) throw noCalendar()
      if (filter.calendarId !== undefined && !(await hasCalendar(deps.db, caller.userId, filter.calendarId)))
        throw new ServiceError('calendar_not_connected', `calendar_id ${filter.calendarId} is not a calendar of a connected account.`)
      // One extra row shows whether the page has a successor in the direction of the cursor.
      const found = await listEvents(deps.db, caller.userId, { ...filter, limit: filter.limit + 1 })
      return pageOf(found, filter)
    })
  }
}

/** Fails if one account fails: a partial list would look complete. */
async function syncAll(deps: ApiDeps, caller: Caller): Promise<void> {
  for (const { id, state, lastError } of await connectionsOf(deps, caller)) {
    if (state === 'revoked')
      throw new ServiceError('calendar_failed', lastError ?? 'The calendar provider revoked the access. Connect the calendar again.')
    await deps.calendarSyncs.syncNow(id).catch((error: unknown) => {
      throw providerFailed(error)
    })
  }
}

type Filter = Parameters<typeof listEvents>[2]

function filterFrom(query: Static<typeof schemas.EventQuery>, now: Date): Filter {
  const from = momentIn('time_min', query.time_min) ?? new Date(now.getTime() - DAY_MS)
  const until = momentIn('time_max', query.time_max) ?? new Date(now.getTime() + 28 * DAY_MS)
  if (from > until) throw invalid('time_min must not be after time_max.')
  return {
    from,
    until,
    calendarId: query.calendar_id,
    deletedToo: query.include_deleted ?? false,
    mastersToo: query.include_masters ?? false,
    once: query.cleanup_duplicates ?? false,
    position: readCursor(query.cursor, 3, positionOf),
    limit: query.limit ?? 50,
  }
}

function positionOf([towards, at, id = '']: readonly string[]): EventPosition | null {
  const start = timeIn(at)
  return start && (towards === 'later' || towards === 'earlier') ? { towards, start, id } : null
}

function pageOf(found: readonly CalendarEvent[], { position, limit }: Filter): Static<typeof schemas.EventPage> {
  const backwards = position?.towards === 'earlier'
  const more = found.length > limit
  const page = backwards ? found.slice(-limit) : found.slice(0, limit)
  // A cursor comes from a neighbouring page, so the other direction has a page.
  const hasLater = backwards || more
  const hasEarlier = backwards ? more : position !== undefined
  return {
    results: page.map(presentEvent),
    has_more: hasLater && page.length > 0,
    next: hasLater ? cursorAt('later', page.at(-1)) : null,
    previous: hasEarlier ? cursorAt('earlier', page[0]) : null,
  }
}

function cursorAt(towards: EventPosition['towards'], event: CalendarEvent | undefined): string | null {
  return event ? writeCursor(towards, event.start.toISOString(), event.id) : null
}

function presentEvent(event: CalendarEvent): schemas.EventAnswer {
  return {
    id: event.id,
    summary: event.title,
    start_time: event.start.toISOString(),
    end_time: event.end.toISOString(),
    is_all_day: event.isAllDay,
    calendar_id: event.calendarId,
    platform: CALENDAR_PROVIDERS[event.provider].wireName,
    platform_id: event.platformId,
    ical_uid: event.icalUid,
    meeting_platform: event.meetingPlatform,
    meeting_url: event.meetingUrl,
    created_at: event.createdAt.toISOString(),
    updated_at: event.updatedAt.toISOString(),
    is_deleted: event.isDeleted,
    is_recurring: event.kind === 'master',
    recurrence_rule: ruleIn(event),
    recurring_enabled: event.recurringEnabled,
    is_expanded: event.kind === 'occurrence',
    master_event_id: event.masterId,
    bots: event.bots.map(presentBot),
    raw: event.raw,
  }
}

/** The rule without its `RRULE:` prefix. */
export function ruleIn({ kind, recurrence }: CalendarEvent): string | null {
  if (kind !== 'master') return null
  return recurrence.find((line) => line.startsWith('RRULE'))?.replace(/^RRULE:/, '') ?? recurrence[0] ?? null
}

function presentBot({ id, status, joinAt, name, platform, meetingUrl }: LinkedBot): schemas.EventAnswer['bots'][number] {
  return {
    id,
    status,
    scheduled_join_time: new Date(joinAt).toISOString(),
    bot_username: name,
    platform: PLATFORMS[platform].wireName,
    meeting_link: meetingUrl,
    is_scheduled: !TERMINAL.has(status),
  }
}
