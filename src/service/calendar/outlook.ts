// Outlook calendars, through Microsoft Graph, which expands series itself.
import type { JsonObject } from '../../domain/bot.ts'
import type { ListedCalendar } from '../db/calendar/calendars.ts'
import { createGraph, type Graph, type GraphOptions } from './microsoft-graph.ts'
import { readOutlookEvent } from './outlook-event.ts'
import { type CalendarAccount, type ChangePage, type Credentials, ProviderError, type ReadFrom } from './provider.ts'

/** The most masters cached while pages of their occurrences are read. */
const MOST_MASTERS = 500

export function openOutlook(credentials: Credentials, options: GraphOptions): CalendarAccount {
  const graph = createGraph(credentials, options)
  let own: string | null = null

  async function email(): Promise<string> {
    if (own !== null) return own
    const me = await graph.get('/me')
    own = String(me.mail ?? me.userPrincipalName ?? '')
    return own
  }

  async function* changes({ platformId }: Pick<ListedCalendar, 'platformId'>, from: ReadFrom): AsyncGenerator<ChangePage> {
    const masters = new Map<string, JsonObject>()
    let address: string | null = 'token' in from ? from.token : viewOf(platformId, from)
    while (address !== null) {
      const page: JsonObject = await graph.get(address)
      const events = itemsIn(page)
      await learnMasters(graph, masters, events)
      address = linkIn(page, '@odata.nextLink')
      const read = events.flatMap((event) => readOutlookEvent(event, (id) => masters.get(id)) ?? [])
      yield { changes: read, token: address === null ? linkIn(page, '@odata.deltaLink') : null }
    }
  }

  return {
    provider: 'outlook',
    email,
    async calendars() {
      const owner = await email()
      const all: ListedCalendar[] = []
      let address: string | null = '/me/calendars?$top=100'
      while (address !== null) {
        const page: JsonObject = await graph.get(address)
        all.push(...itemsIn(page).map((it) => listedCalendar(it, owner)))
        address = linkIn(page, '@odata.nextLink')
      }
      return all
    },
    changes,
    async watch({ platformId }, { secret, address, until }) {
      const subscription = await graph.post('/subscriptions', {
        changeType: 'created,updated,deleted',
        notificationUrl: address,
        resource: `/me/calendars/${platformId}/events`,
        expirationDateTime: until.toISOString(),
        clientState: secret,
      })
      return { resource: String(subscription.id), until: new Date(String(subscription.expirationDateTime ?? until.toISOString())) }
    },
    unwatch: ({ resource }) => graph.remove(`/subscriptions/${encodeURIComponent(resource)}`),
  }
}

function viewOf(calendar: string, { since, until }: { readonly since: Date; readonly until: Date }): string {
  const span = new URLSearchParams({ startDateTime: since.toISOString(), endDateTime: until.toISOString() })
  return `/me/calendars/${encodeURIComponent(calendar)}/calendarView/delta?${span}`
}

/** Occurrences hold only differences from their master, which may be in this page, in an earlier one, or unchanged and in none. */
async function learnMasters(graph: Graph, masters: Map<string, JsonObject>, events: readonly JsonObject[]): Promise<void> {
  for (const event of events) if (event.type === 'seriesMaster') remember(masters, String(event.id), event)
  for (const { seriesMasterId } of events) {
    if (typeof seriesMasterId !== 'string' || masters.has(seriesMasterId)) continue
    const master = await graph.get(`/me/events/${encodeURIComponent(seriesMasterId)}`).catch((error: unknown) => {
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

function linkIn(page: JsonObject, name: string): string | null {
  const link = page[name]
  return typeof link === 'string' ? link : null
}
