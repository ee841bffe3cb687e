// Builds a bot's orders: everything that a host needs to attend.
import type { BotId, BotSpec, JsonObject, WorkspaceId } from '../../domain/bot.ts'
import type { DriverName, Platform } from '../../domain/platforms.ts'
import type { BotOrders, SignInOrders } from '../../domain/protocol.ts'
import type { DueBot } from '../db/claims.ts'

export type OrderTools = {
  readonly folderOf: (botId: BotId) => string
  readonly allowPrivateUrls: boolean
  /** Adds secrets of this bot, such as its token in a link to the built-in room. */
  readonly specFor: (spec: BotSpec) => BotSpec
  readonly driverFor: (platform: Platform) => DriverName
  /** The operator's own tables of a driver. */
  readonly tablesFor: (driver: DriverName) => JsonObject | null
  /** The SDK that a driver needs. */
  readonly sdkFolderFor: (driver: DriverName) => string | null
  readonly speechFor: (workspace: WorkspaceId, spec: BotSpec) => Promise<Pick<BotOrders, 'words' | 'voice'>>
}

export async function ordersFor(tools: OrderTools, bot: DueBot, signIn: SignInOrders | null): Promise<BotOrders> {
  const { id: botId, fence, spec, customAttributes, isGreeted, workspaceId } = bot
  const { folderOf, allowPrivateUrls, specFor, driverFor, tablesFor, sdkFolderFor, speechFor } = tools
  const row = { botId, fence, customAttributes, isGreeted, signIn }
  const driver = driverFor(spec.meeting.platform)
  const platform = { spec: specFor(spec), driver, tables: tablesFor(driver), sdkFolder: sdkFolderFor(driver) }
  return { ...row, ...platform, folder: folderOf(botId), allowPrivateUrls, ...(await speechFor(workspaceId, spec)) }
}
