// Finds the bot a path names, in the caller's workspace. Another workspace's bot is as unknown as none at all.
import type { FastifyRequest } from 'fastify'
import type { Bot } from '../../../domain/bot.ts'
import { ServiceError } from '../../../domain/errors.ts'
import { botExists, findBot } from '../../db/bots.ts'
import { callerOf } from '../auth.ts'
import type { ApiDeps } from '../deps.ts'

const ID = /^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$/

type BotRequest = FastifyRequest<{ Params: { bot_id: string } }>

type UnknownId = 'bot_not_found' | 'transcript_not_found' | 'login_not_found' | 'endpoint_not_found' | 'delivery_not_found'

/** The id in the path, or the 404 of an unknown one: what is no id cannot be known. */
export function idIn(text: string, unknown: UnknownId = 'bot_not_found'): string {
  if (!ID.test(text)) throw new ServiceError(unknown)
  return text
}

export async function botIn(request: BotRequest, { db }: ApiDeps): Promise<Bot> {
  const bot = await findBot(db, callerOf(request).workspaceId, idIn(request.params.bot_id))
  if (!bot) throw new ServiceError('bot_not_found')
  return bot
}

/** For pause and resume the specification tells another account's bot from an unknown one. */
export async function ownBotIn(request: BotRequest, deps: ApiDeps): Promise<Bot> {
  const id = idIn(request.params.bot_id)
  const bot = await findBot(deps.db, callerOf(request).workspaceId, id)
  if (bot) return kept(bot)
  throw new ServiceError((await botExists(deps.db, id)) ? 'wrong_bot_owner' : 'bot_not_found')
}

/** For reads of content and for commands: what was deleted is as if it had never been. */
export async function keptBotIn(request: BotRequest, deps: ApiDeps): Promise<Bot> {
  return kept(await botIn(request, deps))
}

function kept(bot: Bot): Bot {
  if (bot.isErased) throw new ServiceError('bot_not_found')
  return bot
}
