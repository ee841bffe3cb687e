// Google Calendar, through Google's own client.
import type { calendar_v3 } from '@googleapis/calendar'
import { codeIn } from '../../kit/failure.ts'
import type { ListedCalendar } from '../db/calendar/calendars.ts'
import { readGoogleEvent } from './google-event.ts'
import {
  type CalendarAccount,
  type ChangePage,
  type Credentials,
  ProviderError,
  type ProviderFault,
  type ReadFrom,
  retryAfterIn,
} from './provider.ts'
import { withRetries } from './retry.ts'

export type GoogleOptions = {
  /** Base address of the Calendar API. */
  readonly apiUrl: string
  /** The endpoint for access tokens. */
  readonly tokenUrl: string
  readonly random: () => number
  readonly now: () => Date
}

const PAGE = 250
const ANSWER_WITHIN_MS = 10_000
/** `withRetries` retries. The client's own retries would multiply them. */
const REQUEST = { timeout: ANSWER_WITHIN_MS, retry: false } as const

export function openGoogle(credentials: Credentials, options: GoogleOptions): CalendarAccount {
  let client: Promise<calendar_v3.Calendar> | undefined
  const ask = async <Result>(request: (api: calendar_v3.Calendar) => Promise<{ readonly data: Result }>): Promise<Result> => {
    client ??= createClient(credentials, options)
    const api = await client
    return withRetries(async () => (await request(api).catch((error: unknown) => fail(error, options.now()))).data, options.random)
  }

  async function listed(): Promise<readonly calendar_v3.Schema$CalendarListEntry[]> {
    const all: calendar_v3.Schema$CalendarListEntry[] = []
    let pageToken: string | undefined
    do {
      const page = await ask((api) => api.calendarList.list({ maxResults: PAGE, ...(pageToken && { pageToken }) }, REQUEST))
      all.push(...(page.items ?? []))
      pageToken = page.nextPageToken ?? undefined
    } while (pageToken)
    return all.filter(({ id, deleted, accessRole }) => id && !deleted && accessRole !== 'freeBusyReader')
  }

  async function* changes(
    { platformId, timeZone }: Pick<ListedCalendar, 'platformId' | 'timeZone'>,
    from: ReadFrom,
  ): AsyncGenerator<ChangePage> {
    const span = 'token' in from ? { syncToken: from.token } : { timeMin: from.since.toISOString() }
    let pageToken: string | undefined
    do {
      const query = {
        calendarId: platformId,
        maxResults: PAGE,
        singleEvents: false,
        showDeleted: true,
        ...span,
        ...(pageToken && { pageToken }),
      }
      const page = await ask((api) => api.events.list(query, REQUEST))
      pageToken = page.nextPageToken ?? undefined
      const read = (page.items ?? []).flatMap((event) => readGoogleEvent(event, page.timeZone ?? timeZone) ?? [])
      yield { changes: read, token: pageToken ? null : (page.nextSyncToken ?? null) }
    } while (pageToken)
  }

  return {
    provider: 'google',
    // The id of the primary calendar is the account's e-mail address.
    email: async () => (await ask((api) => api.calendars.get({ calendarId: 'primary' }, REQUEST))).id ?? '',
    calendars: async () => (await listed()).map(listedCalendar),
    changes,
    async watch({ platformId }, { channelId, secret, address, until }) {
      const requestBody = { id: channelId, type: 'web_hook', address, token: secret, expiration: String(until.getTime()) }
      const channel = await ask((api) => api.events.watch({ calendarId: platformId, requestBody }, REQUEST))
      return { resource: channel.resourceId ?? '', until: new Date(Number(channel.expiration ?? until.getTime())) }
    },
    async unwatch({ id, resource }) {
      await ask((api) => api.channels.stop({ requestBody: { id, resourceId: resource } }, REQUEST))
    },
  }
}

/** Loaded with the first account: most servers have none, and loading it adds a quarter of a second to the start. */
async function createClient({ clientId, clientSecret, refreshToken }: Credentials, options: GoogleOptions): Promise<calendar_v3.Calendar> {
  const [{ calendar }, { OAuth2Client }] = await Promise.all([import('@googleapis/calendar'), import('google-auth-library')])
  // A revoked access token does not prove that the grant is revoked, so a new token is requested first.
  const forceRefreshOnFailure = true
  const auth = new OAuth2Client({ clientId, clientSecret, endpoints: { oauth2TokenUrl: options.tokenUrl }, forceRefreshOnFailure })
  auth.setCredentials({ refresh_token: refreshToken })
  return calendar({ version: 'v3', auth, rootUrl: `${options.apiUrl}/` })
}

function listedCalendar(it: calendar_v3.Schema$CalendarListEntry): ListedCalendar {
  return {
    platformId: it.id ?? '',
    summary: it.summaryOverride ?? it.summary ?? '',
    isPrimary: it.primary === true,
    isOwn: it.accessRole === 'owner',
    timeZone: it.timeZone ?? 'UTC',
  }
}

const FAULTS: Readonly<Record<number, ProviderFault>> = { 401: 'revoked', 404: 'gone', 410: 'stale', 429: 'busy' }
const QUOTA = /rateLimitExceeded|quotaExceeded|RESOURCE_EXHAUSTED/i
const REVOKED = /invalid_grant|invalid_client|unauthorized_client|deleted_client|access_denied/

type GoogleFailure = {
  readonly status?: number
  readonly response?: { readonly status?: number; readonly data?: unknown; readonly headers?: Headers }
}

/** Maps any error of the client to a ProviderError. */
function fail(error: unknown, now: Date): never {
  const { status, response } = (error ?? {}) as GoogleFailure
  const answer = JSON.stringify(response?.data ?? '')
  const code = response?.status ?? status ?? 0
  const retryAfterSeconds = retryAfterIn(response?.headers?.get?.('retry-after'), now)
  throw new ProviderError(
    faultOf(code, answer),
    `Google Calendar: ${reasonIn(response?.data) ?? (code === 0 ? `the server could not be reached${codeIn(error)}` : `status ${code}`)}`,
    {
      cause: error,
      retryAfterSeconds,
    },
  )
}

function faultOf(code: number, answer: string): ProviderFault {
  if (REVOKED.test(answer) && code < 500) return 'revoked'
  if (code === 403 && QUOTA.test(answer)) return 'busy'
  return FAULTS[code] ?? (code >= 400 && code < 500 ? 'refused' : 'down')
}

/** The token endpoint returns `{error, error_description}`, the API `{error: {message}}`. */
function reasonIn(data: unknown): string | null {
  if (typeof data !== 'object' || data === null || !('error' in data)) return null
  const { error } = data
  if (typeof error === 'object' && error !== null) return 'message' in error ? String(error.message) : null
  const description = 'error_description' in data ? `: ${String(data.error_description)}` : ''
  return `${String(error)}${description}`
}
