// Finds the bot of a path in the caller's workspace. Another workspace's bot gives the same 404 as an unknown id.
import type { FastifyRequest } from 'fastify'
import type { Bot, WorkspaceId } from '../../../domain/bot.ts'
import { ServiceError } from '../../../domain/errors.ts'
import { botExists, findBot } from '../../db/fleet/bots.ts'
import { callerOf } from '../auth.ts'
import type { ApiDeps } from '../deps.ts'
import { idIn } from '../http/path-id.ts'

type BotRequest = FastifyRequest<{ Params: { bot_id: string } }>

export async function botIn(request: BotRequest, { db }: ApiDeps): Promise<Bot> {
  const bot = await findBot(db, callerOf(request).workspaceId, idIn(request.params.bot_id))
  if (!bot) throw new ServiceError('bot_not_found')
  return bot
}

/** For pause and resume: the specification answers 403 for another account's bot and 404 for an unknown one. */
export async function ownBotIn(request: BotRequest, deps: ApiDeps): Promise<Bot> {
  const id = idIn(request.params.bot_id)
  const bot = await findBot(deps.db, callerOf(request).workspaceId, id)
  if (bot && !bot.isErased) return bot
  throw new ServiceError(!bot && (await botExists(deps.db, id)) ? 'wrong_bot_owner' : 'bot_not_found')
}

/** For content reads and commands: a deleted bot gives 404. */
export function keptBotIn(request: BotRequest, deps: ApiDeps): Promise<Bot> {
  return keptBot(deps, callerOf(request).workspaceId, request.params.bot_id)
}

export async function keptBot({ db }: ApiDeps, workspace: WorkspaceId, id: string): Promise<Bot> {
  const bot = await findBot(db, workspace, idIn(id))
  if (!bot || bot.isErased) throw new ServiceError('bot_not_found')
  return bot
}
