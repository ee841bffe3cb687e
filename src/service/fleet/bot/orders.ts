// Builds a bot's orders: everything that a worker needs to attend.
import type { BotId, BotSpec, JsonObject, WorkspaceId } from '../../../domain/bot.ts'
import type { DriverName, Platform } from '../../../domain/platforms.ts'
import type { BotIdentity, BotOrders, SignInOrders } from '../../../domain/protocol.ts'
import type { RecordedBefore } from '../../../domain/recording.ts'
import type { DueBot } from '../../db/fleet/claims.ts'

export type OrderTools = {
  readonly folderOf: (botId: BotId) => string
  readonly allowPrivateUrls: boolean
  /** Adds secrets of this bot, such as its token in a link to the built-in room. */
  readonly specFor: (spec: BotSpec) => BotSpec
  readonly driverFor: (platform: Platform) => DriverName
  /** The operator's own page rules of a driver. */
  readonly pageRulesFor: (driver: DriverName) => JsonObject | null
  /** The SDK that a driver needs. */
  readonly sdkFolderFor: (driver: DriverName) => string | null
  readonly identityFor: (workspace: WorkspaceId, spec: BotSpec) => Promise<BotIdentity | null>
  readonly speechFor: (workspace: WorkspaceId, spec: BotSpec) => Promise<Pick<BotOrders, 'words' | 'voice'>>
}

export async function ordersFor(tools: OrderTools, bot: DueBot, signIn: SignInOrders | null): Promise<BotOrders> {
  const { id: botId, fence, spec, customAttributes, isGreeted, workspaceId } = bot
  const { folderOf, allowPrivateUrls, specFor, driverFor, pageRulesFor, sdkFolderFor, identityFor, speechFor } = tools
  const row = { botId, fence, customAttributes, isGreeted, recordedBefore: recordedBefore(bot), beside: bot.beside ?? null, signIn }
  const driver = driverFor(spec.meeting.platform)
  const platform = { spec: specFor(spec), driver, pageRules: pageRulesFor(driver), sdkFolder: sdkFolderFor(driver) }
  const [identity, speech] = await Promise.all([identityFor(workspaceId, spec), speechFor(workspaceId, spec)])
  return { ...row, ...platform, identity, folder: folderOf(botId), allowPrivateUrls, ...speech }
}

function recordedBefore({ recordedSince, isPaused, pauseChangedAt }: DueBot): RecordedBefore | null {
  return recordedSince && { since: recordedSince.getTime(), pause: pauseChangedAt && { isPaused, at: pauseChangedAt.getTime() } }
}
