// The event feed, for clients that poll instead of receiving webhooks.
import { readFeed } from '../../db/delivery/event-feed.ts'
import { callerOf } from '../auth.ts'
import type { Api, ApiDeps } from '../deps.ts'
import { readCursor, writeCursor } from '../http/cursor.ts'
import { operationsOf, problems } from '../schema.ts'
import { Feed, FeedQuery } from './schema.ts'

const operation = operationsOf('Webhooks')

export function eventFeedRoute(app: Api, deps: ApiDeps): void {
  const schema = operation('listEvents', 'List the workspace’s events after a cursor, oldest first', {
    description: 'The events that webhooks receive. They are kept for 30 days. Reading from cursor to cursor misses no event.',
    querystring: FeedQuery,
    response: { 200: Feed, ...problems() },
  })
  app.get('/events', { schema }, async (request) => {
    const { cursor, limit = 50 } = request.query
    const after = readCursor(cursor, 1, positionOf) ?? 0
    const { events, hasMore, end } = await readFeed(deps.db, callerOf(request).workspaceId, { after, limit })
    const last = events.at(-1)?.position ?? Math.min(after, end)
    return {
      events: events.map(({ body }): Record<string, unknown> => JSON.parse(body)),
      hasNextPage: hasMore,
      nextCursor: writeCursor(String(last)),
    }
  })
}

function positionOf([part]: readonly string[]): number | null {
  const position = Number(part)
  return Number.isSafeInteger(position) && position >= 0 ? position : null
}
