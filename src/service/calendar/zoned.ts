// Converts dates and wall-clock times of a time zone to instants.
import { Temporal } from 'temporal-polyfill'
import { orNull } from '../../kit/or-null.ts'

/** The instant at which the day begins in the zone. */
export function dayStart(day: string, timeZone: string): Date {
  return momentOf(Temporal.PlainDate.from(day).toZonedDateTime(knownZone(timeZone)))
}

/** The instant of a wall-clock time in the zone. A text with an offset needs no zone. */
export function wallTime(text: string, timeZone: string): Date {
  if (/(Z|[+-]\d{2}:?\d{2})$/i.test(text)) return new Date(text)
  return momentOf(Temporal.PlainDateTime.from(text).toZonedDateTime(knownZone(timeZone)))
}

/** The wall-clock time in the zone at that instant. */
export function zonedAt(moment: Date, timeZone: string): Temporal.ZonedDateTime {
  return Temporal.Instant.fromEpochMilliseconds(moment.getTime()).toZonedDateTimeISO(knownZone(timeZone))
}

export function momentOf(zoned: Temporal.ZonedDateTime): Date {
  return new Date(zoned.epochMilliseconds)
}

const zones = new Map<string, string>()

/** The zone itself, or UTC for an unknown one: an event at a wrong hour is better than none. */
export function knownZone(name: string): string {
  const known = zones.get(name)
  if (known) return known
  const zone = orNull(() => new Intl.DateTimeFormat('en', { timeZone: name })) ? name : 'UTC'
  if (zones.size < 1_000) zones.set(name, zone)
  return zone
}
