// Wall clocks: from a date or a time in some zone to the moment it means.
import { Temporal } from 'temporal-polyfill'

/** The moment at which a day begins there. */
export function dayStart(day: string, timeZone: string): Date {
  return momentOf(Temporal.PlainDate.from(day).toZonedDateTime(knownZone(timeZone)))
}

/** The moment a wall clock there shows this; one with an offset of its own needs no zone. */
export function wallTime(text: string, timeZone: string): Date {
  if (/(Z|[+-]\d{2}:?\d{2})$/i.test(text)) return new Date(text)
  return momentOf(Temporal.PlainDateTime.from(text).toZonedDateTime(knownZone(timeZone)))
}

/** The wall clock there at that moment. */
export function zonedAt(moment: Date, timeZone: string): Temporal.ZonedDateTime {
  return Temporal.Instant.fromEpochMilliseconds(moment.getTime()).toZonedDateTimeISO(knownZone(timeZone))
}

export function momentOf(zoned: Temporal.ZonedDateTime): Date {
  return new Date(zoned.epochMilliseconds)
}

const zones = new Map<string, string>()

/** The zone itself, or UTC where a calendar names one that nobody knows: better an hour off than no event. */
export function knownZone(name: string): string {
  const known = zones.get(name)
  if (known) return known
  const zone = isZone(name) ? name : 'UTC'
  if (zones.size < 1_000) zones.set(name, zone)
  return zone
}

function isZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }) !== null
  } catch {
    return false // Not in the list of the system.
  }
}
