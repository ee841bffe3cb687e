// A bot's orders: everything that a host needs to attend, put together in one place.
import type { BotId, BotSpec, JsonObject, WorkspaceId } from '../../domain/bot.ts'
import type { Platform } from '../../domain/platforms.ts'
import type { BotOrders, SignInOrders } from '../../domain/protocol.ts'
import type { DueBot } from '../db/claims.ts'

export type OrderTools = {
  readonly folderOf: (botId: BotId) => string
  readonly allowPrivateUrls: boolean
  /** The spec with what only this bot may know: a link into the built-in room holds its token. */
  readonly specFor: (spec: BotSpec) => BotSpec
  /** The operator's own tables of a platform. */
  readonly tablesFor: (platform: Platform) => JsonObject | null
  /** The SDK of a platform, where it is installed. */
  readonly sdkFolderFor: (platform: Platform) => string | null
  readonly speechFor: (workspace: WorkspaceId, spec: BotSpec) => Promise<Pick<BotOrders, 'words' | 'voice'>>
}

export async function ordersFor(tools: OrderTools, bot: DueBot, signIn: SignInOrders | null): Promise<BotOrders> {
  const { id: botId, fence, spec, customAttributes, isGreeted, workspaceId } = bot
  const { folderOf, allowPrivateUrls, specFor, tablesFor, sdkFolderFor, speechFor } = tools
  const row = { botId, fence, customAttributes, isGreeted, signIn }
  const { platform: name } = spec.meeting
  const platform = { spec: specFor(spec), tables: tablesFor(name), sdkFolder: sdkFolderFor(name) }
  return { ...row, ...platform, folder: folderOf(botId), allowPrivateUrls, ...(await speechFor(workspaceId, spec)) }
}
