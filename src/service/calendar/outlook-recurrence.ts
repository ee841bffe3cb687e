// Converts Microsoft's patterned recurrence to an iCalendar RRULE.
import type { JsonObject } from '../../domain/bot.ts'

const DAYS: Readonly<Record<string, string>> = {
  monday: 'MO',
  tuesday: 'TU',
  wednesday: 'WE',
  thursday: 'TH',
  friday: 'FR',
  saturday: 'SA',
  sunday: 'SU',
}
const INDEXES: Readonly<Record<string, string>> = { first: '1', second: '2', third: '3', fourth: '4', last: '-1' }

type Parts = readonly (string | null)[]
type Pattern = Readonly<Record<string, unknown>>

const byDay = (pattern: Pattern, place = ''): string | null => {
  const days = (Array.isArray(pattern.daysOfWeek) ? pattern.daysOfWeek : []).flatMap((day) => DAYS[String(day)] ?? [])
  return days.length === 0 ? null : `BYDAY=${days.map((day) => place + day).join(',')}`
}
/** `first` with several weekdays means the first of any of them in the month. */
const relative = (pattern: Pattern): Parts => {
  const place = INDEXES[String(pattern.index)] ?? '1'
  const many = Array.isArray(pattern.daysOfWeek) && pattern.daysOfWeek.length > 1
  return many ? [byDay(pattern), `BYSETPOS=${place}`] : [byDay(pattern, place)]
}

const PATTERNS: Readonly<Record<string, (pattern: Pattern) => Parts>> = {
  daily: () => ['FREQ=DAILY'],
  weekly: (it) => ['FREQ=WEEKLY', byDay(it), `WKST=${DAYS[String(it.firstDayOfWeek)] ?? 'MO'}`],
  absoluteMonthly: (it) => ['FREQ=MONTHLY', `BYMONTHDAY=${Number(it.dayOfMonth)}`],
  relativeMonthly: (it) => ['FREQ=MONTHLY', ...relative(it)],
  absoluteYearly: (it) => ['FREQ=YEARLY', `BYMONTH=${Number(it.month)}`, `BYMONTHDAY=${Number(it.dayOfMonth)}`],
  relativeYearly: (it) => ['FREQ=YEARLY', `BYMONTH=${Number(it.month)}`, ...relative(it)],
}

/** One RRULE line; none for an unknown type of recurrence. */
export function ruleOf(recurrence: unknown): readonly string[] {
  const { pattern, range } = asObject(recurrence)
  const parts = PATTERNS[String(asObject(pattern).type)]?.(asObject(pattern))
  if (!parts) return []
  const interval = Number(asObject(pattern).interval ?? 1)
  const all = [...parts, interval > 1 ? `INTERVAL=${interval}` : null, endOf(asObject(range))]
  return [`RRULE:${all.filter((part) => part !== null).join(';')}`]
}

function endOf({ type, endDate, numberOfOccurrences }: Pattern): string | null {
  if (type === 'numbered') return `COUNT=${Number(numberOfOccurrences)}`
  return type === 'endDate' ? `UNTIL=${String(endDate).replaceAll('-', '')}` : null
}

function asObject(value: unknown): JsonObject {
  return typeof value === 'object' && value !== null ? { ...value } : {}
}
