// GET /bots/{bot_id}/remove_bot and DELETE /bots/{bot_id}/delete.
import { ServiceError } from '../../../domain/errors.ts'
import { isUnreachable } from '../../db/unreachable.ts'
import { deleteOnRequest } from '../../fleet/delete.ts'
import { removeBot } from '../../fleet/remove.ts'
import type { Api, ApiDeps } from '../deps.ts'
import { BotParams as params, problems } from '../schema.ts'
import { botIn, keptBotIn } from './find-bot.ts'
import { Acknowledgement, Deletion } from './schema.ts'

const tags = ['Bots']

export function botRemovalRoutes(app: Api, deps: ApiDeps): void {
  const removal = {
    summary: 'Remove the bot from the meeting, or cancel a scheduled bot',
    operationId: 'removeBot',
    tags,
    params,
    response: { 200: Acknowledgement, ...problems('bot_not_found', 'not_in_meeting') },
  }
  // No HEAD route: Fastify's default would run this handler and remove the bot.
  app.get('/bots/:bot_id/remove_bot', { schema: removal, exposeHeadRoute: false }, async (request) => {
    const bot = await keptBotIn(request, deps)
    const done = await removeBot(deps.fleet, deps.reach, bot, deps.now())
    return { message: done === 'cancelled' ? 'Scheduled bot cancelled' : 'Bot removed from the meeting', bot_id: bot.id }
  })

  const deletion = {
    summary: 'Delete all stored data of a bot, and cancel it if it is scheduled',
    operationId: 'deleteBotData',
    tags,
    params,
    response: { 200: Deletion, ...problems('bot_not_found', 'conflict', 'store_unreachable') },
  }
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
