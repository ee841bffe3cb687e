// GET /events: the workspace's events in order, from a cursor, for clients that poll instead of receiving webhooks.
import { invalid } from '../../../domain/errors.ts'
import { readFeed } from '../../db/event-feed.ts'
import { callerOf } from '../auth.ts'
import { readCursor, writeCursor } from '../cursor.ts'
import type { Api, ApiDeps } from '../deps.ts'
import { problems } from '../schema.ts'
import { Feed, FeedQuery } from './schema.ts'

export function eventRoutes(app: Api, deps: ApiDeps): void {
  const schema = {
    summary: 'List the workspace’s events after a cursor, oldest first',
    description: 'The events that webhooks receive. They are kept for 30 days. Reading from cursor to cursor misses no event.',
    operationId: 'listEvents',
    tags: ['Webhooks'],
    querystring: FeedQuery,
    response: { 200: Feed, ...problems('invalid') },
  }
  app.get('/events', { schema }, async (request) => {
    const { cursor, limit = 50 } = request.query
    const after = cursor === undefined ? 0 : positionIn(cursor)
    const { events, hasMore, end } = await readFeed(deps.db, callerOf(request).workspaceId, { after, limit })
    const last = events.at(-1)?.position ?? Math.min(after, end)
    return {
      events: events.map(({ body }): Record<string, unknown> => JSON.parse(body)),
      hasNextPage: hasMore,
      nextCursor: writeCursor([String(last)]),
    }
  })
}

function positionIn(cursor: string): number {
  const position = Number(readCursor(cursor, 1)[0])
  if (!Number.isSafeInteger(position) || position < 0)
    throw invalid('cursor is not valid. Pass the cursor of the previous answer unchanged, or none.')
  return position
}
