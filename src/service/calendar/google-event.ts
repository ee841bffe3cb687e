// Maps a Google event to an EventChange.
import type { calendar_v3 } from '@googleapis/calendar'
import type { EventChange, GoneEvent, PresentEvent } from '../../domain/calendar.ts'
import { dayStart, wallTime } from './zoned.ts'

type GoogleEvent = calendar_v3.Schema$Event
type GoogleTime = calendar_v3.Schema$EventDateTime

/** Null: an event without a time. */
export function readGoogleEvent(event: GoogleEvent, timeZone: string): EventChange | null {
  if (!event.id) return null
  if (event.status === 'cancelled') return goneEvent(event, event.id, timeZone)
  const start = event.start && momentIn(event.start, timeZone)
  const end = event.end && momentIn(event.end, timeZone)
  if (!start || !end) return null
  return {
    ...identityOf(event, event.id, timeZone),
    kind: kindOf(event),
    follows: false,
    title: event.summary ?? '',
    start,
    end,
    allDay: Boolean(event.start?.date),
    timeZone: event.start?.timeZone ?? timeZone,
    recurrence: event.recurrence ?? [],
    declined: event.attendees?.some((it) => it.self === true && it.responseStatus === 'declined') ?? false,
    places: placesOf(event),
    changedAt: new Date(event.updated ?? 0),
    raw: { ...event },
  }
}

function goneEvent(event: GoogleEvent, id: string, timeZone: string): GoneEvent {
  return { kind: 'gone', ...identityOf(event, id, timeZone) }
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
