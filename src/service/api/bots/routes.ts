// GET /bots/{bot_id}/status, /detail and /remove_bot, and DELETE /bots/{bot_id}/delete.
import { ServiceError } from '../../../domain/errors.ts'
import { batch } from '../../../kit/batch.ts'
import { findStatuses } from '../../db/fleet/bots.ts'
import { isUnreachable } from '../../db/unreachable.ts'
import { deleteOnRequest } from '../../fleet/bot/delete.ts'
import { removeBot } from '../../fleet/bot/remove.ts'
import { callerOf } from '../auth.ts'
import type { Api, ApiDeps } from '../deps.ts'
import { idIn } from '../http/path-id.ts'
import { LinkQuery as querystring } from '../media/signer.ts'
import { operationsOf, BotParams as params, problems } from '../schema.ts'
import { detailOf } from './detail.ts'
import { botIn, keptBotIn } from './find-bot.ts'
import { Acknowledgement, BotDetail, BotStatus, Deletion } from './schema.ts'

const operation = operationsOf('Bots')

export function botRoutes(app: Api, deps: ApiDeps): void {
  const findStatus = batch((ids: readonly string[]) => findStatuses(deps.db, ids))

  const status = operation('getBotStatus', 'Read the status of a bot', {
    params,
    response: { 200: BotStatus, ...problems('bot_not_found') },
  })
  app.get('/bots/:bot_id/status', { schema: status }, async (request) => {
    const bot = await findStatus(idIn(request.params.bot_id))
    if (bot?.workspaceId !== callerOf(request).workspaceId) throw new ServiceError('bot_not_found')
    return { bot_id: bot.id, status: bot.status, custom_attributes: bot.customAttributes }
  })

  const detail = operation('getBotDetail', 'Read the detail record of a bot', {
    params,
    querystring,
    response: { 200: BotDetail, ...problems('bot_not_found') },
  })
  app.get('/bots/:bot_id/detail', { schema: detail }, async (request) => {
    const bot = await botIn(request, deps)
    return { bot_details: await detailOf(deps, bot, request.query) }
  })
}

export function botRemovalRoutes(app: Api, deps: ApiDeps): void {
  const removal = operation('removeBot', 'Remove the bot from the meeting, or cancel a scheduled bot', {
    params,
    response: { 200: Acknowledgement, ...problems('bot_not_found', 'not_in_meeting') },
  })
  // No HEAD route: Fastify's default would run this handler and remove the bot.
  app.get('/bots/:bot_id/remove_bot', { schema: removal, exposeHeadRoute: false }, async (request) => {
    const bot = await keptBotIn(request, deps)
    const done = await removeBot(deps.fleet, deps.botRequests, bot, deps.now())
    return { message: done === 'cancelled' ? 'Scheduled bot cancelled' : 'Bot removed from the meeting', bot_id: bot.id }
  })

  const deletion = operation('deleteBotData', 'Delete all stored data of a bot, and cancel it if it is scheduled', {
    params,
    response: { 200: Deletion, ...problems('bot_not_found', 'conflict', 'store_unreachable') },
  })
  app.delete('/bots/:bot_id/delete', { schema: deletion }, async (request) => {
    const bot = await botIn(request, deps)
    const deleted = await deleteOnRequest(deps.deletion, bot, deps.now()).catch((error: unknown) => {
      if (error instanceof ServiceError || isUnreachable(error)) throw error
      deps.log.error({ err: error, botId: bot.id }, 'could not delete stored data; the deletion will be retried')
      throw new ServiceError('store_unreachable')
    })
    return { message: 'Stored data deleted', bot_id: bot.id, deleted_objects: deleted }
  })
}
