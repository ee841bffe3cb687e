// GET /bots: the list of bots and its filters.
import type { FastifyReply } from 'fastify'
import type { Static } from 'typebox'
import { invalid, ServiceError } from '../../../domain/errors.ts'
import { STATUSES, statusOf } from '../../../domain/lifecycle.ts'
import { PLATFORM_NAMES, PLATFORMS, platformOf } from '../../../domain/platforms.ts'
import { type BotFilter, listBots } from '../../db/fleet/bot-list.ts'
import { callerOf } from '../auth.ts'
import type { Api, ApiDeps } from '../deps.ts'
import { readCursor, timeIn, writeCursor } from '../http/cursor.ts'
import { daysIn } from '../http/query.ts'
import { operationsOf, problems } from '../schema.ts'
import { presentRecord } from './present.ts'
import { BotList, ListQuery } from './schema.ts'

const operation = operationsOf('Bots')

export function botListRoute(app: Api, deps: ApiDeps): void {
  const schema = operation('listBots', 'List bots, newest first', {
    querystring: ListQuery,
    response: { 200: BotList, ...problems() },
  })
  app.get('/bots', { schema }, async (request, reply) => {
    const signal = signalOf(reply)
    const { bots, hasMore } = await listBots(deps.db, callerOf(request).workspaceId, filterFrom(request.query), { signal })
    const last = hasMore ? bots.at(-1) : undefined
    return {
      bots: bots.map(presentRecord),
      hasNextPage: last !== undefined,
      nextCursor: last ? writeCursor(last.createdAt.toISOString(), last.id) : null,
    }
  })
}

/** Each further attribute is one more index lookup for every bot that the query visits. */
const MAX_ATTRIBUTES = 10

type Query = Static<typeof ListQuery> & Readonly<Record<string, unknown>>

function filterFrom(query: Query): BotFilter {
  const { from, before } = daysIn(query)
  return {
    status: known('status', query.status, statusOf, `one of ${STATUSES.join(', ')}`),
    platform: known('platform', query.platform, platformOf, `one of ${PLATFORM_NAMES.map((name) => PLATFORMS[name].wireName).join(', ')}`),
    createdFrom: from,
    createdBefore: before,
    search: query.search?.trim() || undefined,
    attributes: attributesIn(query),
    after: readCursor(query.cursor, 2, positionOf),
    limit: query.limit ?? 50,
  }
}

function known<Value>(field: string, text: string | undefined, find: (text: string) => Value | undefined, what: string): Value | undefined {
  if (text === undefined) return undefined
  const value = find(text)
  if (value === undefined) throw invalid(`${field} must be ${what}.`)
  return value
}

function positionOf([at, id = '']: readonly string[]): BotFilter['after'] | null {
  const createdAt = timeIn(at)
  return createdAt && { createdAt, id }
}

function attributesIn(query: Query): (readonly [string, string])[] {
  const attributes = Object.entries(query).flatMap(([name, value]) => {
    const attribute = /^custom_attr\[(.+)\]$/s.exec(name)?.[1]
    if (attribute === undefined) return []
    return [value].flat().map((text) => [attribute, String(text)] as const)
  })
  if (attributes.length > MAX_ATTRIBUTES)
    throw invalid(`custom_attr must be given at most ${MAX_ATTRIBUTES} times, not ${attributes.length}.`)
  return attributes
}

/** Aborts when the connection closes before the answer is sent. */
function signalOf({ raw }: FastifyReply): AbortSignal {
  const controller = new AbortController()
  raw.once('close', () => {
    if (!raw.writableFinished) controller.abort(new ServiceError('client_gone'))
  })
  return controller.signal
}
