// Expands a recurring event to its occurrences in a span of time, in the event's own time zone.
import { RRuleTemporal } from 'rrule-temporal'
import { occurrenceKeyOf } from '../../domain/calendar.ts'
import type { Master, MirroredEvent } from '../db/calendar/mirror.ts'
import { momentOf, zonedAt } from './zoned.ts'

/** A rule with more occurrences in a span is a mistake. The first ones are enough to see it. */
const MOST = 1_000
const DAY_MS = 86_400_000

export type Rule = Pick<Master, 'start' | 'timeZone' | 'recurrence'>

/** The starts from `from` to `until`. Exceptions of single occurrences are not considered. */
export function startsBetween(rule: Rule, from: Date, until: Date): readonly Date[] {
  if (until < from) return []
  return compiled(rule)
    .between(from, until, true)
    .slice(0, MOST)
    .map((it) => new Date(it.epochMilliseconds))
}

/** The start of the last of `count` occurrences from `from` on; null: the rule ends before. */
export function startAfter(rule: Rule, from: Date, count: number): Date | null {
  const recurrence = compiled(rule)
  let last = recurrence.next(from, true)
  for (let number = 1; number < count && last; number += 1) last = recurrence.next(new Date(last.epochMilliseconds), false)
  return last ? new Date(last.epochMilliseconds) : null
}

function compiled({ start, timeZone, recurrence }: Rule): RRuleTemporal {
  const first = zonedAt(start, timeZone)
  const wall = first.toPlainDateTime().toString({ smallestUnit: 'second' }).replaceAll(/[-:]/g, '')
  return new RRuleTemporal({ rruleString: [`DTSTART;TZID=${first.timeZoneId}:${wall}`, ...recurrence].join('\n') })
}

/** The rows of a master's occurrences, as its provider would have expanded them. */
export function occurrencesOf(
  master: Master,
  calendarId: string,
  span: { readonly from: Date; readonly until: Date },
): readonly MirroredEvent[] {
  return startsBetween(master, span.from, span.until).map((start) => {
    const end = endOf(master, start)
    const platformId = `${master.platformId}_${stamp(start, master)}`
    return {
      ...master,
      platformId,
      kind: 'occurrence',
      masterPlatformId: master.platformId,
      originalStart: start,
      isDerived: true,
      occurrenceKey: occurrenceKeyOf({ platformId, icalUid: master.icalUid, originalStart: start }, calendarId),
      start,
      end,
      recurrence: [],
      isDeleted: false,
      raw: rawOf(master, { platformId, start, end }),
    }
  })
}

/** A whole day has 23 hours once a year. */
function endOf(master: Master, start: Date): Date {
  const lengthMs = master.end.getTime() - master.start.getTime()
  if (!master.isAllDay) return new Date(start.getTime() + lengthMs)
  return momentOf(zonedAt(start, master.timeZone).add({ days: Math.round(lengthMs / DAY_MS) }))
}

/** Google appends the original start to the id of an occurrence. */
function stamp(start: Date, master: Master): string {
  if (master.isAllDay) return zonedAt(start, master.timeZone).toPlainDate().toString().replaceAll('-', '')
  return start.toISOString().replaceAll(/[-:]|\.\d+/g, '')
}

function rawOf(master: Master, { platformId, start, end }: { platformId: string; start: Date; end: Date }): Master['raw'] {
  const { recurrence: _, ...raw } = master.raw
  const { isAllDay, timeZone } = master
  const written = (at: Date) => {
    const zoned = zonedAt(at, timeZone)
    return isAllDay ? { date: zoned.toPlainDate().toString() } : { dateTime: zoned.toString({ timeZoneName: 'never' }), timeZone }
  }
  const own = { id: platformId, recurringEventId: master.platformId, originalStartTime: written(start) }
  return { ...raw, ...own, start: written(start), end: written(end) }
}
