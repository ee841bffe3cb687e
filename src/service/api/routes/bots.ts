// Reads of bots: status, detail, summary, list; and their removal.
import type { Static } from 'typebox'
import { invalid, ServiceError } from '../../../domain/errors.ts'
import { parseDay } from '../../../domain/instant.ts'
import { statusOf } from '../../../domain/lifecycle.ts'
import { PLATFORM_NAMES, PLATFORMS, platformOf } from '../../../domain/platforms.ts'
import { type BotFilter, listBots } from '../../db/bot-list.ts'
import { findStatus } from '../../db/bots.ts'
import { deleteContent, removeBot } from '../../fleet/remove.ts'
import { callerOf } from '../auth.ts'
import { readCursor, writeCursor } from '../cursor.ts'
import type { Api, ApiDeps } from '../deps.ts'
import { presentDetail, presentRecord } from '../present.ts'
import { Acknowledgement, BotDetail, BotList, BotStatus, BotSummary, Deletion, ListQuery } from '../schemas/bots.ts'
import { BotParams, problems } from '../schemas/common.ts'
import { botIn, idIn } from './find-bot.ts'

const DAY_MS = 24 * 60 * 60_000

export function botRoutes(app: Api, deps: ApiDeps): void {
  const tags = ['Bots']
  const params = BotParams

  app.get(
    '/bots/:bot_id/status',
    { schema: { summary: 'Status of a bot', operationId: 'getStatus', tags, params, response: { 200: BotStatus, ...problems('bot_not_found') } } },
    async (request) => {
      const bot = await findStatus(deps.db, callerOf(request).workspaceId, idIn(request.params.bot_id))
      if (!bot) throw new ServiceError('bot_not_found')
      return { bot_id: bot.id, status: bot.status, custom_attributes: bot.customAttributes }
    },
  )

  app.get(
    '/bots/:bot_id/detail',
    { schema: { summary: 'Everything known of a bot', operationId: 'getDetail', tags, params, response: { 200: BotDetail, ...problems('bot_not_found') } } },
    async (request) => ({ bot_details: presentDetail(await botIn(request, deps)) }),
  )

  app.get(
    '/bots/:bot_id/summary',
    { schema: { summary: 'Detail with a summary', operationId: 'getSummary', tags, params, response: { 200: BotSummary, ...problems('bot_not_found') } } },
    async (request) => ({ bot_details: presentDetail(await botIn(request, deps)), summary: null }),
  )

  app.get(
    '/bots',
    {
      schema: {
        summary: 'List bots, newest first',
        operationId: 'listBots',
        tags,
        querystring: ListQuery,
        response: { 200: BotList, ...problems('invalid') },
      },
    },
    async (request) => {
      const filter = filterFrom(request.query)
      // One more than asked for tells whether there is another page.
      const found = await listBots(deps.db, callerOf(request).workspaceId, { ...filter, limit: filter.limit + 1 })
      const page = found.slice(0, filter.limit)
      const last = found.length > filter.limit ? page.at(-1) : undefined
      return {
        bots: page.map(presentRecord),
        hasNextPage: last !== undefined,
        nextCursor: last ? writeCursor([last.createdAt.toISOString(), last.id]) : null,
      }
    },
  )

  app.get(
    '/bots/:bot_id/remove_bot',
    {
      schema: {
        summary: 'Take the bot out of the meeting, or cancel a scheduled one',
        operationId: 'removeBot',
        tags,
        params,
        response: { 200: Acknowledgement, ...problems('bot_not_found', 'not_in_meeting') },
      },
    },
    async (request) => {
      const bot = await botIn(request, deps)
      const done = await removeBot(deps.fleet, bot, deps.now())
      return { message: done === 'cancelled' ? 'Scheduled bot cancelled' : 'Bot removed from the meeting', bot_id: bot.id }
    },
  )

  app.delete(
    '/bots/:bot_id/delete',
    {
      schema: {
        summary: 'Delete everything stored of a bot',
        operationId: 'deleteBotData',
        tags,
        params,
        response: { 200: Deletion, ...problems('bot_not_found', 'conflict') },
      },
    },
    async (request) => {
      const bot = await botIn(request, deps)
      const deleted = await deleteContent(deps.fleet, bot, deps.now())
      return { message: 'Stored data deleted', bot_id: bot.id, deleted_objects: deleted }
    },
  )
}

type Query = Static<typeof ListQuery> & Readonly<Record<string, unknown>>

function filterFrom(query: Query): BotFilter {
  const createdFrom = dayIn('from', query.from)
  const to = dayIn('to', query.to)
  if (createdFrom && to && createdFrom > to) throw invalid('from must not be after to.')
  return {
    status: known('status', query.status, statusOf, 'a status of the specification'),
    platform: known('platform', query.platform, platformOf, `one of ${PLATFORM_NAMES.map((name) => PLATFORMS[name].wireName).join(', ')}`),
    createdFrom,
    createdBefore: to && new Date(to.getTime() + DAY_MS),
    attributes: attributesIn(query),
    after: query.cursor === undefined ? undefined : positionIn(query.cursor),
    limit: query.limit ?? 50,
  }
}

function known<Value>(field: string, text: string | undefined, find: (text: string) => Value | undefined, what: string): Value | undefined {
  if (text === undefined) return undefined
  const value = find(text)
  if (value === undefined) throw invalid(`${field} must be ${what}.`)
  return value
}

function dayIn(field: string, text: string | undefined): Date | undefined {
  return known(field, text, (it) => parseDay(it) ?? undefined, 'a day written as YYYY-MM-DD')
}

function positionIn(cursor: string): { createdAt: Date; id: string } {
  const [at, id] = readCursor(cursor, 2)
  const createdAt = new Date(at ?? '')
  if (Number.isNaN(createdAt.getTime()) || id === undefined) throw invalid('cursor is not one that this list gave out.')
  return { createdAt, id }
}

function attributesIn(query: Query): (readonly [string, string])[] {
  return Object.entries(query).flatMap(([name, value]) => {
    const attribute = /^custom_attr\[(.+)\]$/s.exec(name)?.[1]
    if (attribute === undefined) return []
    return [value].flat().map((text) => [attribute, String(text)] as const)
  })
}
