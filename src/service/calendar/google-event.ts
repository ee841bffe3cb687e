// Maps a Google event to an EventChange.
import type { EventChange, GoneEvent, PresentEvent } from '../../domain/calendar.ts'
import { dayStart, wallTime } from './zoned.ts'

type GoogleTime = { readonly date?: string; readonly dateTime?: string; readonly timeZone?: string }

/** The fields of Google's event that are read. The rest is kept as it is. */
export type GoogleEvent = {
  readonly id?: string
  readonly status?: string
  readonly summary?: string
  readonly description?: string
  readonly location?: string
  readonly start?: GoogleTime
  readonly end?: GoogleTime
  readonly originalStartTime?: GoogleTime
  readonly recurrence?: readonly string[]
  readonly recurringEventId?: string
  readonly iCalUID?: string
  readonly updated?: string
  readonly attendees?: readonly { readonly self?: boolean; readonly responseStatus?: string }[]
  readonly hangoutLink?: string
  readonly conferenceData?: { readonly entryPoints?: readonly { readonly entryPointType?: string; readonly uri?: string }[] }
}

/** Null: an event without a time. */
export function readGoogleEvent(event: GoogleEvent, timeZone: string): EventChange | null {
  if (!event.id) return null
  const identity = identityOf(event, event.id, timeZone)
  if (event.status === 'cancelled') return { kind: 'gone', ...identity }
  const start = event.start && momentIn(event.start, timeZone)
  const end = event.end && momentIn(event.end, timeZone)
  if (!start || !end) return null
  return {
    ...identity,
    kind: kindOf(event),
    isDerived: false,
    title: event.summary ?? '',
    start,
    end,
    isAllDay: Boolean(event.start?.date),
    timeZone: event.start?.timeZone ?? timeZone,
    recurrence: event.recurrence ?? [],
    isDeclined: event.attendees?.some((it) => it.self === true && it.responseStatus === 'declined') ?? false,
    places: placesOf(event),
    changedAt: new Date(event.updated ?? 0),
    raw: { ...event },
  }
}

function identityOf(event: GoogleEvent, platformId: string, timeZone: string): Omit<GoneEvent, 'kind'> {
  const originalStart = event.originalStartTime ? momentIn(event.originalStartTime, timeZone) : null
  return { platformId, icalUid: event.iCalUID ?? null, masterPlatformId: event.recurringEventId ?? null, originalStart }
}

function kindOf({ recurringEventId, recurrence }: GoogleEvent): PresentEvent['kind'] {
  if (recurringEventId) return 'occurrence'
  return recurrence && recurrence.length > 0 ? 'master' : 'single'
}

/** A date has no zone of its own, so it is in the calendar's. */
function momentIn({ date, dateTime, timeZone }: GoogleTime, calendarZone: string): Date | null {
  if (dateTime) return wallTime(dateTime, timeZone ?? calendarZone)
  return date ? dayStart(date, calendarZone) : null
}

function placesOf({ hangoutLink, conferenceData, location, description }: GoogleEvent): PresentEvent['places'] {
  const points = conferenceData?.entryPoints ?? []
  const ofType = (type: string) => points.filter(({ entryPointType }) => entryPointType === type).flatMap(({ uri }) => uri ?? [])
  return {
    video: hangoutLink ?? null,
    entryPoints: [...ofType('video'), ...ofType('more')],
    location: location ?? null,
    description: description ?? null,
  }
}
