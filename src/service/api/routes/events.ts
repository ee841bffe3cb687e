// The feed: the workspace's events, to be fetched instead of received, in order and from wherever the reader was.
import { invalid } from '../../../domain/errors.ts'
import { readFeed } from '../../db/event-feed.ts'
import { callerOf } from '../auth.ts'
import { readCursor, writeCursor } from '../cursor.ts'
import type { Api, ApiDeps } from '../deps.ts'
import { problems } from '../schemas/common.ts'
import { Feed, FeedQuery } from '../schemas/webhooks.ts'

export function eventRoutes(app: Api, deps: ApiDeps): void {
  const schema = {
    summary: 'The events of the workspace, oldest first, from a cursor on',
    description: 'What webhooks are sent, kept for 30 days. A cursor never passes over an event, however late it was written.',
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
  if (!Number.isSafeInteger(position) || position < 0) throw invalid('cursor is not one that this list gave out.')
  return position
}
