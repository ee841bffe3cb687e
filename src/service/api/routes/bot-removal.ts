// Taking a bot out of its meeting, and deleting what it left.
import { ServiceError } from '../../../domain/errors.ts'
import { isUnreachable } from '../../db/unreachable.ts'
import { deleteContent } from '../../fleet/delete.ts'
import { removeBot } from '../../fleet/remove.ts'
import type { Api, ApiDeps } from '../deps.ts'
import { Acknowledgement, Deletion } from '../schemas/bots.ts'
import { BotParams as params, problems } from '../schemas/common.ts'
import { botIn, keptBotIn } from './find-bot.ts'

const tags = ['Bots']

export function botRemovalRoutes(app: Api, deps: ApiDeps): void {
  const removal = {
    summary: 'Take the bot out of the meeting, or cancel a scheduled one',
    operationId: 'removeBot',
    tags,
    params,
    response: { 200: Acknowledgement, ...problems('bot_not_found', 'not_in_meeting') },
  }
  // A HEAD of this GET would remove the bot as well; nobody who sends one means that.
  app.get('/bots/:bot_id/remove_bot', { schema: removal, exposeHeadRoute: false }, async (request) => {
    const bot = await keptBotIn(request, deps)
    const done = await removeBot(deps.fleet, deps.reach, bot, deps.now())
    return { message: done === 'cancelled' ? 'Scheduled bot cancelled' : 'Bot removed from the meeting', bot_id: bot.id }
  })

  const deletion = {
    summary: 'Delete everything stored of a bot',
    operationId: 'deleteBotData',
    tags,
    params,
    response: { 200: Deletion, ...problems('bot_not_found', 'conflict', 'store_unreachable') },
  }
  app.delete('/bots/:bot_id/delete', { schema: deletion }, async (request) => {
    const bot = await botIn(request, deps)
    const deletion = { at: deps.now(), message: 'Stored media was deleted on request' }
    const deleted = await deleteContent(deps.deletion, bot, deletion).catch((error: unknown) => {
      if (error instanceof ServiceError || isUnreachable(error)) throw error
      deps.log.error({ err: error, botId: bot.id }, 'stored data could not be deleted at once')
      throw new ServiceError('store_unreachable')
    })
    return { message: 'Stored data deleted', bot_id: bot.id, deleted_objects: deleted }
  })
}
