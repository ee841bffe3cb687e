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
import { calendarUser, connectionsOf, CALENDAR_TAGS as tags } from './request.ts'
import {
  BotConfig,
  type CalendarAnswer,
  CalendarList,
  Connected,
  ConnectGoogleBody,
  ConnectionList,
  ConnectionParams,
  ConnectOutlookBody,
  DisconnectBody,
  Disconnected,
  PurgeQuery,
} from './schema.ts'

export function calendarRoutes(app: Api, deps: ApiDeps): void {
  connectRoutes(app, deps)
  listRoutes(app, deps)
  connectionRoutes(app, deps)
  disconnectRoutes(app, deps)
}

function connectRoutes(app: Api, deps: ApiDeps): void {
  const response = { 200: Connected, ...problems('invalid', 'calendar_not_connected', 'conflict', 'calendar_failed') }
  const google = { summary: 'Connect a Google calendar', operationId: 'connectGoogleCalendar', tags, body: ConnectGoogleBody, response }
  app.post('/calendar/create_calendar', { schema: google }, async (request) => {
    const { google_client_id: clientId, google_client_secret: clientSecret, google_refresh_token: refreshToken, ...config } = request.body
    return connect(deps, calendarUser(request), 'google', { clientId, clientSecret, refreshToken }, config)
  })
  const outlook = {
    summary: 'Connect an Outlook calendar',
    operationId: 'connectOutlookCalendar',
    tags,
    body: ConnectOutlookBody,
    response,
  }
  app.post('/calendar/create_outlook_calendar', { schema: outlook }, async (request) => {
    const {
      microsoft_client_id: clientId,
      microsoft_client_secret: clientSecret,
      microsoft_refresh_token: refreshToken,
      ...config
    } = request.body
    return connect(deps, calendarUser(request), 'outlook', { clientId, clientSecret, refreshToken }, config)
  })
}

async function connect(deps: ApiDeps, caller: Caller, provider: CalendarProvider, credentials: Credentials, given: JsonObject) {
  refuseUnbuilt(given)
  const botConfig = Object.fromEntries(Object.entries(given).filter(([name]) => Object.hasOwn(BotConfig.properties, neutralField(name))))
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

function presentCalendar(calendar: Calendar, provider: CalendarProvider): Static<typeof CalendarAnswer> {
  const { id, platformId, summary, isPrimary, timeZone, connectionId } = calendar
  return { id, platform_id: platformId, summary, isPrimary, timeZone, provider, account_id: connectionId }
}

function listRoutes(app: Api, deps: ApiDeps): void {
  for (const { path, named } of aliased('listCalendars', '/calendar', '/calendar/calendars')) {
    const schema = { summary: 'List calendars of the connected accounts', ...named, tags, response: { 200: CalendarList, ...problems() } }
    app.get(path, { schema }, async (request) => {
      const { userId } = calendarUser(request)
      const calendars = await listCalendarsOf(deps.db, userId)
      return { total: calendars.length, user_id: userId, calendars: calendars.map((it) => presentCalendar(it, it.provider)) }
    })
  }
}

function connectionRoutes(app: Api, deps: ApiDeps): void {
  const schema = {
    summary: 'List connected calendar accounts',
    operationId: 'listCalendarConnections',
    tags,
    response: { 200: ConnectionList, ...problems() },
  }
  app.get('/calendar/connections', { schema }, async (request) => {
    const { userId } = calendarUser(request)
    const connections = await listConnections(deps.db, userId)
    const calendars = await listCalendarsOf(deps.db, userId)
    const present = (it: Connection) =>
      presentConnection(
        it,
        calendars.filter(({ connectionId }) => connectionId === it.id),
      )
    return { total: connections.length, user_id: userId, connections: connections.map(present) }
  })
}

function presentConnection(it: Connection, calendars: readonly Calendar[]): Static<typeof ConnectionList>['connections'][number] {
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
    calendars: calendars.length,
    push: calendars.some(({ channel }) => channel !== null),
  }
}

function disconnectRoutes(app: Api, deps: ApiDeps): void {
  const response = { 200: Disconnected, ...problems('invalid', 'calendar_not_connected') }
  const account = {
    ...{
      summary: 'Disconnect a calendar account',
      operationId: 'disconnectCalendarAccount',
      tags,
      params: ConnectionParams,
      querystring: PurgeQuery,
      response,
    },
  }
  app.delete('/calendar/connections/:provider/:account_id', { schema: account }, async (request) => {
    const caller = calendarUser(request)
    const named = await findAccounts(deps, caller, request.params)
    return disconnect(deps, caller, named, request.query.purge_events ?? true)
  })
  const schema = { summary: 'Disconnect a calendar', tags, body: DisconnectBody, response }
  const handle = async (request: Parameters<typeof calendarUser>[0] & { body: Static<typeof DisconnectBody> }) => {
    const caller = calendarUser(request)
    return disconnect(deps, caller, await accountsToDisconnect(deps, caller, request.body), request.body.purge_events ?? true)
  }
  app.post('/calendar/disconnect', { schema: { ...schema, operationId: 'disconnectCalendar' } }, handle)
  app.delete('/calendar/disconnect', { schema: { ...schema, operationId: 'disconnectCalendarByDelete' } }, handle)
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
async function accountsToDisconnect(deps: ApiDeps, caller: Caller, body: Static<typeof DisconnectBody>): Promise<readonly Connection[]> {
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
