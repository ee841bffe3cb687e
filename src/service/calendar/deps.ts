// Dependencies of the calendar's use cases, wired in service/start-calendar.ts.
import type { ConnectionId, JsonObject, WorkspaceId } from '../../domain/bot.ts'
import type { CalendarProvider } from '../../domain/calendar.ts'
import type { Logger } from '../../kit/log.ts'
import type { Vault } from '../accounts/secrets.ts'
import type { Db } from '../db/database.ts'
import type { BotRequest } from '../fleet/bot/create.ts'
import type { FleetDeps } from '../fleet/bot/transition.ts'
import type { CalendarAccount, Credentials } from './provider.ts'

/** A bot request that the API's rules made from a configuration. */
export type PreparedBot = Pick<BotRequest, 'spec' | 'callbackUrl' | 'customAttributes' | 'echo'>

export type OpenAccount = (
  provider: CalendarProvider,
  credentials: Credentials,
  onRefreshToken: (refreshToken: string) => Promise<void>,
) => CalendarAccount

/** An opened account, reused with its access token while its sealed credentials stay the same. */
export type Opened = { readonly account: CalendarAccount; secret: Buffer }

export type CalendarDeps = {
  readonly db: Db
  readonly log: Logger
  readonly vault: Vault
  readonly fleet: FleetDeps
  readonly now: () => Date
  /** The base address of this service's own rooms. */
  readonly publicUrl: () => string
  /** The address for push notifications of providers; null: they cannot reach this service. */
  readonly pushUrl: () => string | null
  readonly pollSeconds: number
  readonly openAccount: OpenAccount
  readonly opened: Map<ConnectionId, Opened>
  /** Throws the 400 that create_bot would return. */
  readonly prepareBot: (workspace: WorkspaceId, config: JsonObject, meetingUrl: string) => Promise<PreparedBot>
}
