// Pages of events in Google's format: all events, or the changes since a sync token.
import type { Reply } from './http.ts'

export type GoogleItem = { readonly id: string; readonly [field: string]: unknown }

export type Feed = {
  readonly summary: string
  readonly timeZone: string
  readonly items: Map<string, GoogleItem>
  /** Ids in the order of their last change. A sync token is a position in this list. */
  readonly changes: string[]
  /** Older tokens have expired. */
  oldest: number
}

const WITHOUT_TOKEN = ['timeMin', 'timeMax', 'q', 'orderBy', 'updatedMin', 'iCalUID']

export function eventPage(feed: Feed, query: URLSearchParams): Reply {
  const token = query.get('syncToken')
  if (token !== null && WITHOUT_TOKEN.some((name) => query.has(name)))
    return { status: 400, body: { error: { code: 400, message: 'Sync token cannot be used with other restrictions.' } } }
  const since = token === null ? null : placeOf(token)
  if (since !== null && !(since >= feed.oldest)) return GONE
  // A page token holds the position at which the first page was requested.
  const [offset = 0, upTo = 0] = (query.get('pageToken') ?? `0:${feed.changes.length}`).split(':').map(Number)
  const changed = since === null ? null : new Set(feed.changes.slice(since, upTo))
  const all = [...feed.items.values()].filter((item) => (changed ? changed.has(item.id) : isListed(item, query)))
  const end = offset + Number(query.get('maxResults') ?? 250)
  const cursor = end >= all.length ? { nextSyncToken: `token-${upTo}` } : { nextPageToken: `${end}:${upTo}` }
  const { summary, timeZone } = feed
  return { body: { kind: 'calendar#events', summary, timeZone, items: all.slice(offset, end), ...cursor } }
}

const GONE: Reply = {
  status: 410,
  body: {
    error: { code: 410, message: 'Sync token is no longer valid, a full sync is required.', errors: [{ reason: 'fullSyncRequired' }] },
  },
}

function placeOf(token: string): number {
  return Number(/^token-(\d+)$/.exec(token)?.[1] ?? Number.NaN)
}

/** A full list omits deleted and long past events, but not the exceptions of a series. */
function isListed(item: GoogleItem, query: URLSearchParams): boolean {
  if (item.status === 'cancelled') return item.recurringEventId !== undefined && query.get('showDeleted') === 'true'
  const timeMin = query.get('timeMin')
  const end = Object(item.end)
  const over = new Date(end.dateTime ?? end.date ?? 0)
  return item.recurrence !== undefined || timeMin === null || over > new Date(timeMin)
}
