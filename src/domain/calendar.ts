// Calendars: the providers, and an event in one form for all of them.
import type { JsonObject } from './bot.ts'
import type { LinkPlaces } from './conference-link.ts'

export const CALENDAR_PROVIDERS = {
  google: { wireName: 'google_calendar', label: 'Google Calendar', names: ['google', 'google_calendar'] },
  outlook: { wireName: 'outlook_calendar', label: 'Outlook', names: ['outlook', 'outlook_calendar', 'microsoft'] },
} as const

export type CalendarProvider = keyof typeof CALENDAR_PROVIDERS

/** The provider for a caller's name of it. */
export function providerOf(name: string): CalendarProvider | undefined {
  const providers = Object.keys(CALENDAR_PROVIDERS) as CalendarProvider[]
  return providers.find((provider) => CALENDAR_PROVIDERS[provider].names.some((it) => it === name.toLowerCase()))
}

type EventIdentity = {
  readonly platformId: string
  /** The same for every copy of the event. An occurrence has that of its master. */
  readonly icalUid: string | null
  readonly masterPlatformId: string | null
  /** The start by the recurrence rule; only for an occurrence. */
  readonly originalStart: Date | null
}

/** An event that exists. */
export type PresentEvent = EventIdentity & {
  readonly kind: 'single' | 'master' | 'occurrence'
  /** An unmodified occurrence: it changes with its master. */
  readonly isDerived: boolean
  readonly title: string
  readonly start: Date
  readonly end: Date
  readonly isAllDay: boolean
  readonly timeZone: string
  /** iCalendar lines: RRULE, EXDATE, RDATE; only for a master. */
  readonly recurrence: readonly string[]
  readonly isDeclined: boolean
  readonly places: LinkPlaces
  readonly changedAt: Date
  readonly raw: JsonObject
}

/** An event that was deleted or cancelled. The provider still names the master of an occurrence. */
export type GoneEvent = EventIdentity & { readonly kind: 'gone' }

export type EventChange = PresentEvent | GoneEvent

/** Equal for all copies of an occurrence: the iCalendar id of the series and the start by its rule. */
export function occurrenceKeyOf(event: Pick<PresentEvent, 'icalUid' | 'platformId' | 'originalStart'>, calendarId: string): string {
  const series = event.icalUid ?? `${calendarId}/${event.platformId}`
  return event.originalStart ? `${series}|${event.originalStart.toISOString()}` : series
}

/** A bot joins this long before the event starts. */
export const JOIN_BEFORE_MS = 60_000
