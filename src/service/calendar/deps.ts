// What the calendar's use cases stand on, wired once in service/main.ts.
import type { BotSpec, ConnectionId, JsonObject, WorkspaceId } from '../../domain/bot.ts'
import type { CalendarProvider } from '../../domain/calendar.ts'
import type { Logger } from '../../kit/log.ts'
import type { Vault } from '../accounts/secrets.ts'
import type { Db } from '../db/database.ts'
import type { FleetDeps } from '../fleet/transition.ts'
import type { CalendarAccount, Credentials } from './provider.ts'

/** A bot as the API's rules make it from a configuration. */
export type PreparedBot = {
  readonly spec: BotSpec
  readonly callbackUrl: string | null
  readonly customAttributes: JsonObject
  readonly echo: JsonObject
}

export type OpenAccount = (
  provider: CalendarProvider,
  credentials: Credentials,
  onRefreshToken: (refreshToken: string) => Promise<void>,
) => CalendarAccount

/** An account that was opened before keeps its access token, as long as its sealed credentials are the same. */
export type Opened = { readonly account: CalendarAccount; secret: Buffer }

export type CalendarDeps = {
  readonly db: Db
  readonly log: Logger
  readonly vault: Vault
  readonly fleet: FleetDeps
  readonly now: () => Date
  /** Where this service's own rooms are. */
  readonly publicUrl: () => string
  /** Where providers can tell us of changes; null where they cannot reach us. */
  readonly pushUrl: () => string | null
  readonly pollSeconds: number
  readonly openAccount: OpenAccount
  readonly opened: Map<ConnectionId, Opened>
  /** Throws the 400 that create_bot would answer. */
  readonly prepareBot: (workspace: WorkspaceId, config: JsonObject, meetingUrl: string) => Promise<PreparedBot>
}
