// A bot's orders: everything that a host needs to attend, put together in one place.
import type { BotId, BotSpec, WorkspaceId } from '../../domain/bot.ts'
import type { BotOrders, SignInOrders } from '../../domain/protocol.ts'
import type { DueBot } from '../db/claims.ts'

export type OrderTools = {
  readonly folderOf: (botId: BotId) => string
  readonly allowPrivateUrls: boolean
  /** The spec with what only this bot may know: a link into the built-in room holds its token. */
  readonly specFor: (spec: BotSpec) => BotSpec
  readonly speechFor: (workspace: WorkspaceId, spec: BotSpec) => Promise<Pick<BotOrders, 'words' | 'voice'>>
}

export async function ordersFor(tools: OrderTools, bot: DueBot, signIn: SignInOrders | null): Promise<BotOrders> {
  const { id: botId, fence, spec, customAttributes, isGreeted, workspaceId } = bot
  const { folderOf, allowPrivateUrls, specFor, speechFor } = tools
  const speech = await speechFor(workspaceId, spec)
  return { botId, fence, spec: specFor(spec), folder: folderOf(botId), allowPrivateUrls, customAttributes, isGreeted, signIn, ...speech }
}
