// Calendar accounts: connect, list, disconnect.
import type { Static } from 'typebox'
import type { JsonObject } from '../../../domain/bot.ts'
import { CALENDAR_PROVIDERS, type CalendarProvider, providerOf } from '../../../domain/calendar.ts'
import { counted } from '../../../domain/counted.ts'
import { invalid, ServiceError } from '../../../domain/errors.ts'
import { connectCalendar, disconnectCalendar } from '../../calendar/connect.ts'
import type { Credentials } from '../../calendar/provider.ts'
import type { Caller } from '../../calendar/schedule.ts'
import { type Calendar, listCalendarsOf } from '../../db/calendar/calendars.ts'
import { type Connection, listConnections } from '../../db/calendar/connections.ts'
import { aliased } from '../alias-paths.ts'
import { neutralField } from '../aliases.ts'
import { refuseUnbuilt } from '../bots/create/bot-request.ts'
import type { Api, ApiDeps } from '../deps.ts'
import { problems } from '../schema.ts'
import { calendarUser, connectionsOf, calendarOperation as operation } from './request.ts'
import * as schemas from './schema.ts'

export function calendarRoutes(app: Api, deps: ApiDeps): void {
  connectRoutes(app, deps)
  listRoutes(app, deps)
  disconnectRoutes(app, deps)
}

function connectRoutes(app: Api, deps: ApiDeps): void {
  const response = { 200: schemas.Connected, ...problems('calendar_not_connected', 'conflict', 'calendar_failed') }
  const google = operation('connectGoogleCalendar', 'Connect a Google calendar', { body: schemas.ConnectGoogleBody, response })
  app.post('/calendar/create_calendar', { schema: google }, async (request) => {
    const { google_client_id: clientId, google_client_secret: clientSecret, google_refresh_token: refreshToken } = request.body
    return connect(deps, calendarUser(request), 'google', { clientId, clientSecret, refreshToken }, request.body)
  })
  const outlook = operation('connectOutlookCalendar', 'Connect an Outlook calendar', { body: schemas.ConnectOutlookBody, response })
  app.post('/calendar/create_outlook_calendar', { schema: outlook }, async (request) => {
    const { microsoft_client_id: clientId, microsoft_client_secret: clientSecret, microsoft_refresh_token: refreshToken } = request.body
    return connect(deps, calendarUser(request), 'outlook', { clientId, clientSecret, refreshToken }, request.body)
  })
}

/** Stores the fields of `given` that configure bots, so not its credentials. */
async function connect(deps: ApiDeps, caller: Caller, provider: CalendarProvider, credentials: Credentials, given: JsonObject) {
  refuseUnbuilt(given)
  const botConfig = Object.fromEntries(
    Object.entries(given).filter(([name]) => Object.hasOwn(schemas.BotConfig.properties, neutralField(name))),
  )
  const { id, email, report, calendars } = await connectCalendar(deps.calendar, { ...caller, provider, credentials, botConfig })
  deps.calendarSyncs.wake()
  const primary = calendars.find(({ isPrimary }) => isPrimary)
  return {
    message: `${CALENDAR_PROVIDERS[provider].label} connected`,
    events_fetched: report.events,
    calendars_processed: report.calendars,
    user_email: email,
    calendar_id: primary?.id ?? null,
    platform: CALENDAR_PROVIDERS[provider].wireName,
    primary_calendar_id: primary?.platformId ?? null,
    account_id: id,
    calendars: calendars.map((calendar) => presentCalendar(calendar, provider)),
  }
}

function presentCalendar(calendar: Calendar, provider: CalendarProvider): Static<typeof schemas.CalendarAnswer> {
  const { id, platformId, summary, isPrimary, timeZone, connectionId } = calendar
  return { id, platform_id: platformId, summary, isPrimary, timeZone, provider, account_id: connectionId }
}

function listRoutes(app: Api, deps: ApiDeps): void {
  const listing = operation('listCalendars', 'List calendars of the connected accounts', {
    response: { 200: schemas.CalendarList, ...problems() },
  })
  for (const { path, schema } of aliased(listing, '/calendar', '/calendar/calendars')) {
    app.get(path, { schema }, async (request) => {
      const { userId } = calendarUser(request)
      const calendars = await listCalendarsOf(deps.db, userId)
      return { total: calendars.length, user_id: userId, calendars: calendars.map((it) => presentCalendar(it, it.provider)) }
    })
  }

  const accounts = operation('listCalendarConnections', 'List connected calendar accounts', {
    response: { 200: schemas.ConnectionList, ...problems() },
  })
  app.get('/calendar/connections', { schema: accounts }, async (request) => {
    const { userId } = calendarUser(request)
    const connections = await listConnections(deps.db, userId)
    const calendars = await listCalendarsOf(deps.db, userId)
    return { total: connections.length, user_id: userId, connections: connections.map((it) => presentConnection(it, calendars)) }
  })
}

/** `calendars` may contain calendars of other connections. */
function presentConnection(it: Connection, calendars: readonly Calendar[]): Static<typeof schemas.ConnectionList>['connections'][number] {
  const own = calendars.filter(({ connectionId }) => connectionId === it.id)
  return {
    provider: it.provider,
    platform: CALENDAR_PROVIDERS[it.provider].wireName,
    account_id: it.id,
    email: it.email,
    status: it.state,
    error: it.lastError,
    connected_at: it.createdAt.toISOString(),
    last_synced_at: it.syncedAt?.toISOString() ?? null,
    next_sync_at: it.nextSyncAt?.toISOString() ?? null,
    calendars: own.length,
    push: own.some(({ channel }) => channel !== null),
  }
}

function disconnectRoutes(app: Api, deps: ApiDeps): void {
  const response = { 200: schemas.Disconnected, ...problems('calendar_not_connected') }
  const account = operation('disconnectCalendarAccount', 'Disconnect a calendar account', {
    params: schemas.ConnectionParams,
    querystring: schemas.PurgeQuery,
    response,
  })
  app.delete('/calendar/connections/:provider/:account_id', { schema: account }, async (request) => {
    const caller = calendarUser(request)
    const named = await findAccounts(deps, caller, request.params)
    return disconnect(deps, caller, named, request.query.purge_events ?? true)
  })
  const handle = async (request: Parameters<typeof calendarUser>[0] & { body: Static<typeof schemas.DisconnectBody> }) => {
    const caller = calendarUser(request)
    return disconnect(deps, caller, await accountsToDisconnect(deps, caller, request.body), request.body.purge_events ?? true)
  }
  const disconnecting = (operationId: string) => operation(operationId, 'Disconnect a calendar', { body: schemas.DisconnectBody, response })
  app.post('/calendar/disconnect', { schema: disconnecting('disconnectCalendar') }, handle)
  app.delete('/calendar/disconnect', { schema: disconnecting('disconnectCalendarByDelete') }, handle)
}

type Named = { readonly provider?: string | undefined; readonly account_id?: string | undefined }

/** Finds connections by provider name and by account id or email. Throws a 404 if none matches. */
async function findAccounts(deps: ApiDeps, caller: Caller, { provider, account_id }: Named): Promise<readonly Connection[]> {
  const connections = await connectionsOf(deps, caller)
  const ofProvider = connections.filter((it) => provider === undefined || it.provider === providerOf(provider))
  const found = ofProvider.filter(({ id, email }) => account_id === undefined || account_id === id || account_id === email)
  if (found.length === 0) throw new ServiceError('calendar_not_connected')
  return found
}

/** Finds the connection by name or by its refresh token, or takes the only one. */
async function accountsToDisconnect(
  deps: ApiDeps,
  caller: Caller,
  body: Static<typeof schemas.DisconnectBody>,
): Promise<readonly Connection[]> {
  if (body.provider !== undefined || body.account_id !== undefined) return findAccounts(deps, caller, body)
  const connections = await connectionsOf(deps, caller)
  const token = body.google_refresh_token ?? body.microsoft_refresh_token
  const byToken = connections.filter(({ id, secret }) => token !== undefined && deps.vault.open(id, secret).includes(JSON.stringify(token)))
  if (byToken.length > 0) return byToken
  if (connections.length > 1)
    throw invalid(`provider or account_id is required, because ${connections.length} calendar accounts are connected.`)
  return connections
}

async function disconnect(deps: ApiDeps, { userId }: Caller, connections: readonly Connection[], purge: boolean) {
  let events_deleted = 0
  let schedules_cancelled = 0
  for (const connection of connections) {
    const { events, schedules } = await disconnectCalendar(deps.calendar, connection, { keepEvents: !purge })
    events_deleted += events
    schedules_cancelled += schedules
  }
  const message = `Calendar disconnected. ${counted(schedules_cancelled, 'scheduled bot')} cancelled.`
  return { disconnected: true, user_id: userId, events_deleted, schedules_cancelled, message }
}
