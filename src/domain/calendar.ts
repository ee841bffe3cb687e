// Words of calendars: providers, and an event as every provider's is written down.
import type { JsonObject } from './bot.ts'
import type { LinkPlaces } from './conference-link.ts'

export const CALENDAR_PROVIDERS = {
  google: { wireName: 'google_calendar', label: 'Google Calendar', names: ['google', 'google_calendar'] },
  outlook: { wireName: 'outlook_calendar', label: 'Outlook', names: ['outlook', 'outlook_calendar', 'microsoft'] },
} as const

export type CalendarProvider = keyof typeof CALENDAR_PROVIDERS

/** The provider that a caller's word means. */
export function providerOf(name: string): CalendarProvider | undefined {
  const providers = Object.keys(CALENDAR_PROVIDERS) as CalendarProvider[]
  return providers.find((provider) => CALENDAR_PROVIDERS[provider].names.some((it) => it === name.toLowerCase()))
}

/** An event that is there. */
export type PresentEvent = {
  readonly kind: 'single' | 'master' | 'occurrence'
  readonly platformId: string
  /** The same in every calendar that has a copy; of an occurrence it is its master's. */
  readonly icalUid: string | null
  readonly masterPlatformId: string | null
  /** When the rule had put it; of an occurrence only. */
  readonly originalStart: Date | null
  /** An occurrence that says nothing of its own: it changes with its master. */
  readonly follows: boolean
  readonly title: string
  readonly start: Date
  readonly end: Date
  readonly allDay: boolean
  readonly timeZone: string
  /** iCalendar lines: RRULE, EXDATE, RDATE; of a master only. */
  readonly recurrence: readonly string[]
  readonly declined: boolean
  readonly places: LinkPlaces
  readonly changedAt: Date
  readonly raw: JsonObject
}

/** An event that was deleted or cancelled. Of an occurrence the provider still says whose it was. */
export type GoneEvent = {
  readonly kind: 'gone'
  readonly platformId: string
  readonly icalUid: string | null
  readonly masterPlatformId: string | null
  readonly originalStart: Date | null
}

export type EventChange = PresentEvent | GoneEvent

/** What makes two copies of an occurrence one: the series' id everywhere, and when the rule had put it. */
export function occurrenceKeyOf(event: Pick<PresentEvent, 'icalUid' | 'platformId' | 'originalStart'>, calendarId: string): string {
  const series = event.icalUid ?? `${calendarId}/${event.platformId}`
  return event.originalStart ? `${series}|${event.originalStart.toISOString()}` : series
}

/** A bot joins this long before the event starts. */
export const JOIN_BEFORE_MS = 60_000
