// Outlook calendars, through Microsoft Graph, which expands series itself.
import type { JsonObject } from '../../domain/bot.ts'
import type { ListedCalendar } from '../db/calendar/calendars.ts'
import { type AskProvider, createProviderClient, type ProviderApi, textOrNull } from './oauth-client.ts'
import { readOutlookEvent } from './outlook-event.ts'
import { type CalendarAccount, type ChangePage, type Credentials, ProviderError, type ProviderFault, type ReadFrom } from './provider.ts'

export type OutlookOptions = Pick<ProviderApi, 'random' | 'now'> & {
  readonly graphUrl: string
  readonly loginUrl: string
  /** Microsoft issues a new refresh token with every access token, and the old one expires. */
  readonly onRefreshToken: (refreshToken: string) => Promise<void>
}

const PREFER = 'odata.maxpagesize=50, outlook.timezone="UTC", IdType="ImmutableId"'
/** The most masters cached while pages of their occurrences are read. */
const MOST_MASTERS = 500

export function openOutlook(credentials: Credentials, options: OutlookOptions): CalendarAccount {
  const { graphUrl, loginUrl, ...rest } = options
  const tokenUrl = `${loginUrl}/common/oauth2/v2.0/token`
  const client = createProviderClient(credentials, { name: 'Outlook', tokenUrl, headers: { prefer: PREFER }, faultOf, ...rest })
  const graph: AskProvider = async (method, address, body) => client(method, addressOf(address, graphUrl), body)
  let own: string | null = null

  async function email(): Promise<string> {
    if (own !== null) return own
    const me = await graph('GET', '/me')
    own = String(me.mail ?? me.userPrincipalName ?? '')
    return own
  }

  async function* pagesOf(first: string): AsyncGenerator<JsonObject> {
    for (let address: string | null = first; address !== null; ) {
      const page: JsonObject = await graph('GET', address)
      yield page
      address = nextLinkOf(page)
    }
  }

  async function* changes({ platformId }: Pick<ListedCalendar, 'platformId'>, from: ReadFrom): AsyncGenerator<ChangePage> {
    const masters = new Map<string, JsonObject>()
    for await (const page of pagesOf('token' in from ? from.token : viewOf(platformId, from))) {
      const events = itemsIn(page)
      await learnMasters(graph, masters, events)
      const read = events.flatMap((event) => readOutlookEvent(event, (id) => masters.get(id)) ?? [])
      yield { changes: read, token: nextLinkOf(page) === null ? textOrNull(page['@odata.deltaLink']) : null }
    }
  }

  return {
    provider: 'outlook',
    email,
    async calendars() {
      const owner = await email()
      const all: ListedCalendar[] = []
      for await (const page of pagesOf('/me/calendars?$top=100')) all.push(...itemsIn(page).map((it) => listedCalendar(it, owner)))
      return all
    },
    changes,
    async watch({ platformId }, { secret, address, until }) {
      const subscription = await graph('POST', '/subscriptions', {
        changeType: 'created,updated,deleted',
        notificationUrl: address,
        resource: `/me/calendars/${platformId}/events`,
        expirationDateTime: until.toISOString(),
        clientState: secret,
      })
      return { resource: String(subscription.id), until: new Date(String(subscription.expirationDateTime ?? until.toISOString())) }
    },
    async unwatch({ resource }) {
      await graph('DELETE', `/subscriptions/${encodeURIComponent(resource)}`)
    },
  }
}

function viewOf(calendar: string, { since, until }: { readonly since: Date; readonly until: Date }): string {
  const span = new URLSearchParams({ startDateTime: since.toISOString(), endDateTime: until.toISOString() })
  return `/me/calendars/${encodeURIComponent(calendar)}/calendarView/delta?${span}`
}

/** Occurrences hold only differences from their master, which may be in this page, in an earlier one, or unchanged and in none. */
async function learnMasters(graph: AskProvider, masters: Map<string, JsonObject>, events: readonly JsonObject[]): Promise<void> {
  for (const event of events) if (event.type === 'seriesMaster') remember(masters, String(event.id), event)
  for (const { seriesMasterId } of events) {
    if (typeof seriesMasterId !== 'string' || masters.has(seriesMasterId)) continue
    const master = await graph('GET', `/me/events/${encodeURIComponent(seriesMasterId)}`).catch((error: unknown) => {
      // Deleted meanwhile: the next page or the next read deletes its occurrences too.
      if (error instanceof ProviderError && error.fault === 'gone') return {}
      throw error
    })
    remember(masters, seriesMasterId, master)
  }
}

function remember(masters: Map<string, JsonObject>, id: string, master: JsonObject): void {
  const [oldest] = masters.keys()
  if (masters.size >= MOST_MASTERS && oldest !== undefined) masters.delete(oldest)
  masters.set(id, master)
}

function listedCalendar(it: JsonObject, owner: string): ListedCalendar {
  const address = typeof it.owner === 'object' && it.owner !== null && 'address' in it.owner ? String(it.owner.address) : owner
  return {
    platformId: String(it.id),
    summary: String(it.name ?? ''),
    isPrimary: it.isDefaultCalendar === true,
    isOwn: address.toLowerCase() === owner.toLowerCase(),
    timeZone: 'UTC',
  }
}

function itemsIn({ value }: JsonObject): readonly JsonObject[] {
  return Array.isArray(value) ? value : []
}

const nextLinkOf = (page: JsonObject): string | null => textOrNull(page['@odata.nextLink'])

/** A path under `/v1.0`, or an absolute URL from an earlier response, but only on the same server. */
function addressOf(address: string, base: string): string {
  if (address.startsWith('/')) return `${base}/v1.0${address}`
  if (URL.parse(address)?.origin !== new URL(base).origin) throw new ProviderError('refused', 'Outlook: a response links to another server')
  return address
}

const FAULTS: Readonly<Record<number, ProviderFault>> = { 401: 'revoked', 404: 'gone', 410: 'stale', 429: 'busy', 503: 'busy' }
const REVOKED = /invalid_grant|invalid_client|unauthorized_client|interaction_required/

function faultOf(status: number, body: string): ProviderFault {
  if (status === 400 && REVOKED.test(body)) return 'revoked'
  if (/SyncStateNotFound|SyncStateInvalid|resyncRequired/i.test(body)) return 'stale'
  return FAULTS[status] ?? (status < 500 ? 'refused' : 'down')
}
