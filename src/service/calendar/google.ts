// Google Calendar.
import type { JsonObject } from '../../domain/bot.ts'
import type { ListedCalendar } from '../db/calendar/calendars.ts'
import { type GoogleEvent, readGoogleEvent } from './google-event.ts'
import { createProviderClient, type ProviderApi, textOrNull } from './oauth-client.ts'
import type { CalendarAccount, ChangePage, Credentials, ProviderFault, ReadFrom } from './provider.ts'

export type GoogleOptions = Pick<ProviderApi, 'tokenUrl' | 'random' | 'now'> & {
  /** Base address of the Calendar API. */
  readonly apiUrl: string
}

const PAGE = '250'

export function openGoogle(credentials: Credentials, { apiUrl, ...options }: GoogleOptions): CalendarAccount {
  const ask = createProviderClient(credentials, { name: 'Google Calendar', faultOf, ...options })
  const base = `${apiUrl}/calendar/v3`
  const calendarUrl = (id: string) => `${base}/calendars/${encodeURIComponent(id)}`

  async function* pagesOf(url: string, query: Readonly<Record<string, string>>): AsyncGenerator<JsonObject> {
    let pageToken: string | null = null
    do {
      const page: JsonObject = await ask(
        'GET',
        `${url}?${new URLSearchParams({ maxResults: PAGE, ...query, ...(pageToken && { pageToken }) })}`,
      )
      yield page
      pageToken = textOrNull(page.nextPageToken)
    } while (pageToken)
  }

  async function calendars(): Promise<ListedCalendar[]> {
    const all: ListedEntry[] = []
    for await (const page of pagesOf(`${base}/users/me/calendarList`, {})) all.push(...itemsIn(page))
    return all.filter(({ id, deleted, accessRole }) => id && !deleted && accessRole !== 'freeBusyReader').map(listedCalendar)
  }

  async function* changes(
    { platformId, timeZone }: Pick<ListedCalendar, 'platformId' | 'timeZone'>,
    from: ReadFrom,
  ): AsyncGenerator<ChangePage> {
    const span = 'token' in from ? { syncToken: from.token } : { timeMin: from.since.toISOString() }
    for await (const page of pagesOf(`${calendarUrl(platformId)}/events`, { singleEvents: 'false', showDeleted: 'true', ...span })) {
      const events: readonly GoogleEvent[] = itemsIn(page)
      const read = events.flatMap((event) => readGoogleEvent(event, textOrNull(page.timeZone) ?? timeZone) ?? [])
      yield { changes: read, token: page.nextPageToken ? null : textOrNull(page.nextSyncToken) }
    }
  }

  return {
    provider: 'google',
    // The id of the primary calendar is the account's e-mail address.
    email: async () => textOrNull((await ask('GET', calendarUrl('primary'))).id) ?? '',
    calendars,
    changes,
    async watch({ platformId }, { channelId, secret, address, until }) {
      const order = { id: channelId, type: 'web_hook', address, token: secret, expiration: String(until.getTime()) }
      const channel = await ask('POST', `${calendarUrl(platformId)}/events/watch`, order)
      return { resource: textOrNull(channel.resourceId) ?? '', until: new Date(Number(channel.expiration ?? until.getTime())) }
    },
    async unwatch({ id, resource }) {
      await ask('POST', `${base}/channels/stop`, { id, resourceId: resource })
    },
  }
}

type ListedEntry = {
  readonly id?: string
  readonly deleted?: boolean
  readonly accessRole?: string
  readonly summary?: string
  readonly summaryOverride?: string
  readonly primary?: boolean
  readonly timeZone?: string
}

function listedCalendar(it: ListedEntry): ListedCalendar {
  return {
    platformId: it.id ?? '',
    summary: it.summaryOverride ?? it.summary ?? '',
    isPrimary: it.primary === true,
    isOwn: it.accessRole === 'owner',
    timeZone: it.timeZone ?? 'UTC',
  }
}

/** Untyped: the readers of entries and events allow every field to be missing. */
function itemsIn({ items }: JsonObject) {
  return Array.isArray(items) ? items : []
}

const FAULTS: Readonly<Record<number, ProviderFault>> = { 401: 'revoked', 404: 'gone', 410: 'stale', 429: 'busy' }
const QUOTA = /rateLimitExceeded|quotaExceeded|RESOURCE_EXHAUSTED/i
const REVOKED = /invalid_grant|invalid_client|unauthorized_client|deleted_client|access_denied/

function faultOf(status: number, body: string): ProviderFault {
  if (REVOKED.test(body) && status < 500) return 'revoked'
  if (status === 403 && QUOTA.test(body)) return 'busy'
  return FAULTS[status] ?? (status < 500 ? 'refused' : 'down')
}
