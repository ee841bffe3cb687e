// Connects and disconnects a calendar account.
import type { ConnectionId, JsonObject, UserId, WorkspaceId } from '../../domain/bot.ts'
import type { CalendarProvider } from '../../domain/calendar.ts'
import { invalid, ServiceError } from '../../domain/errors.ts'
import { newId } from '../../kit/id.ts'
import { type Calendar, listCalendars } from '../db/calendar/calendars.ts'
import { type Connection, claimSync, dropConnection, findAccount, upsertConnection } from '../db/calendar/connections.ts'
import { abandonEvents } from '../db/calendar/mirror.ts'
import { lockPlans } from '../db/calendar/plan.ts'
import { inTransaction } from '../db/database.ts'
import { LEASES } from '../leases.ts'
import type { CalendarDeps } from './deps.ts'
import { announceOutcome, SupersededError } from './mirror.ts'
import { type Outcome, replan } from './plan.ts'
import { type CalendarAccount, type Credentials, ProviderError } from './provider.ts'
import { stopChannel } from './push-channels.ts'
import { accountOf, type SyncReport, syncConnection } from './sync-connection.ts'

export type ConnectRequest = {
  readonly workspaceId: WorkspaceId
  readonly userId: UserId
  readonly provider: CalendarProvider
  readonly credentials: Credentials
  /** Default settings of its bots. */
  readonly botConfig: JsonObject
}

export type Connected = {
  readonly id: ConnectionId
  readonly email: string
  readonly report: SyncReport
  readonly calendars: readonly Calendar[]
}

/** A placeholder: only the configuration is checked. */
const SAMPLE_LINK = 'https://meet.google.com/abc-defg-hij'

/** Throws the 400 of an invalid bot configuration now instead of at the first meeting. */
export async function checkConfig({ prepareBot }: CalendarDeps, workspace: WorkspaceId, config: JsonObject): Promise<void> {
  await prepareBot(workspace, config, SAMPLE_LINK)
}

/** Connecting an account again renews its credentials and keeps its events. */
export async function connectCalendar(deps: CalendarDeps, request: ConnectRequest): Promise<Connected> {
  const { workspaceId, userId, provider, botConfig } = request
  await checkConfig(deps, workspaceId, botConfig)
  let credentials = request.credentials
  const account = deps.openAccount(provider, credentials, async (refreshToken) => {
    credentials = { ...credentials, refreshToken }
  })
  const email = await readEmail(account)
  const known = await findAccount(deps.db, userId, provider, email)
  const id = known?.id ?? (newId('acc', deps.now()) as ConnectionId)
  const secret = deps.vault.seal(id, JSON.stringify(credentials))
  await upsertConnection(deps.db, { id, workspaceId, userId, provider, email, secret, botConfig }, deps.now())
  const report = await firstSync(deps, id)
  return { id, email, report, calendars: await listCalendars(deps.db, id) }
}

/** Credentials that the provider refuses are an error of the caller. */
async function readEmail(account: CalendarAccount): Promise<string> {
  try {
    return await account.email()
  } catch (error) {
    if (error instanceof ProviderError && (error.fault === 'revoked' || error.fault === 'refused'))
      throw invalid(`The calendar could not be connected: ${error.message}`)
    throw providerFailed(error)
  }
}

async function firstSync(deps: CalendarDeps, id: ConnectionId): Promise<SyncReport> {
  const connection = await claimSync(deps.db, id, LEASES.calendarSync.seconds)
  if (!connection) throw new ServiceError('calendar_not_connected')
  return syncConnection(deps, connection).catch((error: unknown) => {
    throw providerFailed(error)
  })
}

/** Maps a provider's failure to an API error with the provider's own reason. */
export function providerFailed(error: unknown): unknown {
  if (error instanceof ProviderError) return new ServiceError('calendar_failed', error.message)
  return error instanceof SupersededError
    ? new ServiceError('conflict', 'Another request is syncing this calendar. Try again in a moment.')
    : error
}

export type Disconnected = { readonly events: number; readonly schedules: number }

/** Cancels the bots of its meetings, unless another calendar of the workspace has the meeting too. */
export async function disconnectCalendar(
  deps: CalendarDeps,
  connection: Connection,
  { keepEvents }: { keepEvents: boolean },
): Promise<Disconnected> {
  const channels = (await listCalendars(deps.db, connection.id)).filter(({ channel }) => channel !== null)
  const { outcome, events } = await inTransaction(deps.db, async (tx) => {
    const { workspaceId, id } = connection
    const at = deps.now()
    await lockPlans(tx, workspaceId)
    const outcome: Outcome = await replan({ ...deps, tx, workspaceId, at }, await abandonEvents(tx, id, at))
    return { outcome, events: await dropConnection(tx, id, { keepEvents }) }
  })
  announceOutcome(deps, outcome)
  if (connection.state === 'connected' && channels.length > 0) {
    const account = accountOf(deps, connection)
    for (const calendar of channels) await stopChannel(deps, account, calendar)
  }
  return { events, schedules: outcome.cancelled }
}
