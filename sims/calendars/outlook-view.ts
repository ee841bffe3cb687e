// A calendar view with delta links: series expanded by the wall clock, short entries for plain occurrences, and removals by id.
import { Temporal } from 'temporal-polyfill'
import type { Reply } from './http.ts'

type Series = {
  readonly everyDays: number
  readonly count: number
  /** Occurrences follow the wall clock of this zone. */
  readonly timeZone: string
  readonly exceptions?: Readonly<Record<number, Readonly<Record<string, unknown>> | 'cancelled'>>
}

export type OutlookEvent = { readonly id: string; readonly series?: Series; readonly [field: string]: unknown }

export type DeltaFeed = {
  readonly events: Map<string, OutlookEvent>
  readonly changes: string[]
  oldest: number
}

type ListedEvent = Readonly<Record<string, unknown>> & { readonly id: string }
type Span = { readonly from: string; readonly until: string }

export function deltaPage(feed: DeltaFeed, query: URLSearchParams, { size, base }: { size: number; base: string }): Reply {
  const state = stateOf(query, feed)
  if (state.since !== null && state.since < feed.oldest)
    return { status: 410, body: { error: { code: 'SyncStateNotFound', message: 'The sync state is no longer known; start anew.' } } }
  const ids = state.since === null ? [...feed.events.keys()] : [...new Set(feed.changes.slice(state.since, state.upTo))]
  const all = ids.flatMap((id) => listed(id, feed.events.get(id), state))
  const end = state.offset + size
  const next = { ...state, offset: end }
  const link =
    end >= all.length
      ? { '@odata.deltaLink': `${base}/calendarView/delta?$deltatoken=${pack({ ...state, since: state.upTo, offset: 0 })}` }
      : { '@odata.nextLink': `${base}/calendarView/delta?$skiptoken=${pack(next)}` }
  return { body: { '@odata.context': '#Collection(event)', value: all.slice(state.offset, end), ...link } }
}

type State = Span & { readonly since: number | null; readonly upTo: number; readonly offset: number }

function stateOf(query: URLSearchParams, feed: DeltaFeed): State {
  const skip = query.get('$skiptoken')
  if (skip) return JSON.parse(Buffer.from(skip, 'base64url').toString())
  const delta = query.get('$deltatoken')
  const fresh = { from: query.get('startDateTime') ?? '', until: query.get('endDateTime') ?? '', since: null, offset: 0 }
  const known = delta ? JSON.parse(Buffer.from(delta, 'base64url').toString()) : fresh
  return { ...known, upTo: feed.changes.length }
}

function pack(state: State): string {
  return Buffer.from(JSON.stringify(state)).toString('base64url')
}

function listed(id: string, event: OutlookEvent | undefined, span: State): readonly ListedEvent[] {
  if (!event) return [{ id, '@removed': { reason: 'deleted' } }]
  const { series, ...own } = event
  if (!series) return [own as ListedEvent]
  return [{ ...own, recurrence: recurrenceOf(series), id }, ...occurrences(event, series, span)]
}

/** A plain occurrence is listed with its times only, a removed one with its id only. */
function occurrences(event: OutlookEvent, series: Series, span: State): readonly ListedEvent[] {
  const first = wall(event.start, series.timeZone)
  const length = wall(event.end, series.timeZone).since(first)
  return Array.from({ length: series.count }, (_, index) => index).flatMap((number): readonly ListedEvent[] => {
    const start = first.add({ days: number * series.everyDays })
    const id = `${event.id}-o${number}`
    const change = series.exceptions?.[number]
    if (!isWithin(start, span)) return []
    if (change === 'cancelled') return span.since === null ? [] : [{ id, '@removed': { reason: 'deleted' } }]
    const times = { start: written(start), end: written(start.add(length)) }
    if (!change) return [{ id, type: 'occurrence', seriesMasterId: event.id, ...times }]
    const { series: _, recurrence: __, ...inherited } = event
    return [
      { ...inherited, ...times, ...change, id, type: 'exception', seriesMasterId: event.id, originalStart: start.toInstant().toString() },
    ]
  })
}

function isWithin(start: Temporal.ZonedDateTime, { from, until }: Span): boolean {
  const at = start.epochMilliseconds
  return at >= Date.parse(from) && at < Date.parse(until)
}

function wall(time: unknown, timeZone: string): Temporal.ZonedDateTime {
  const { dateTime } = Object(time)
  return Temporal.Instant.from(`${String(dateTime).replace(/\.\d+$/, '')}Z`).toZonedDateTimeISO(timeZone)
}

function written(zoned: Temporal.ZonedDateTime) {
  return { dateTime: `${zoned.withTimeZone('UTC').toPlainDateTime().toString({ smallestUnit: 'second' })}.0000000`, timeZone: 'UTC' }
}

function recurrenceOf({ everyDays, count }: Series) {
  return { pattern: { type: 'daily', interval: everyDays }, range: { type: 'numbered', numberOfOccurrences: count } }
}
