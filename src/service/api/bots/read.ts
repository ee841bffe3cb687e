// GET /bots/{bot_id}/status and /detail.

import { ServiceError } from '../../../domain/errors.ts'
import { batch } from '../../../kit/batch.ts'
import { findStatuses } from '../../db/bots.ts'
import { callerOf } from '../auth.ts'
import type { Api, ApiDeps } from '../deps.ts'
import { LinkQuery as querystring } from '../media/schema.ts'
import { idIn } from '../path-id.ts'
import { BotParams as params, problems } from '../schema.ts'
import { detailOf } from './detail.ts'
import { botIn } from './find-bot.ts'
import { BotDetail, BotStatus } from './schema.ts'

const tags = ['Bots']

export function botRoutes(app: Api, deps: ApiDeps): void {
  const findStatus = batch((ids: readonly string[]) => findStatuses(deps.db, ids))

  const status = {
    summary: 'Read the status of a bot',
    operationId: 'getBotStatus',
    tags,
    params,
    response: { 200: BotStatus, ...problems('bot_not_found') },
  }
  app.get('/bots/:bot_id/status', { schema: status }, async (request) => {
    const bot = await findStatus(idIn(request.params.bot_id))
    if (bot?.workspaceId !== callerOf(request).workspaceId) throw new ServiceError('bot_not_found')
    return { bot_id: bot.id, status: bot.status, custom_attributes: bot.customAttributes }
  })

  const detail = {
    summary: 'Read the detail record of a bot',
    operationId: 'getBotDetail',
    tags,
    params,
    querystring,
    response: { 200: BotDetail, ...problems('bot_not_found') },
  }
  app.get('/bots/:bot_id/detail', { schema: detail }, async (request) => {
    const bot = await botIn(request, deps)
    return { bot_details: await detailOf(deps, bot, request.query) }
  })
}
