// Google Calendar for its clients: OAuth tokens, calendar lists, paged events with sync tokens, push channels.
import { eventPage, type Feed, type GoogleItem } from './google-events.ts'
import { type Asked, type Reply, type SimServer, serve } from './http.ts'

type Calendar = Feed & {
  readonly id: string
  readonly summary: string
  readonly timeZone: string
  readonly primary: boolean
  readonly accessRole: string
}

type Channel = {
  readonly id: string
  readonly resourceId: string
  readonly address: string
  readonly token: string
  readonly calendar: Calendar
}

export type GoogleAccount = {
  readonly email: string
  readonly credentials: { readonly google_client_id: string; readonly google_client_secret: string; readonly google_refresh_token: string }
  addCalendar(id: string, options?: { summary?: string; timeZone?: string; accessRole?: string }): void
  dropCalendar(id: string): void
  /** Writes an event as its owner would. Omitted fields stay. */
  put(event: GoogleItem, calendarId?: string): void
  remove(id: string, calendarId?: string): void
  /** One occurrence of a series, cancelled or changed. */
  except(master: string, originalStart: string, change: Readonly<Record<string, unknown>> | 'cancelled', calendarId?: string): void
  /** Invalidates all issued sync tokens: 410. */
  forgetTokens(): void
  revoke(): void
}

export type GoogleSim = SimServer & {
  readonly tokenUrl: string
  account(email: string, options?: { timeZone?: string }): GoogleAccount
  readonly channels: ReadonlyMap<string, Channel>
}

type Owner = { readonly email: string; readonly refreshToken: string; revoked: boolean; readonly calendars: Map<string, Calendar> }

const CLIENT = { google_client_id: 'client-id', google_client_secret: 'client-secret' }

export async function startGoogle({ now = () => new Date() } = {}): Promise<GoogleSim> {
  const owners = new Map<string, Owner>()
  const access = new Map<string, Owner>()
  const channels = new Map<string, Channel>()
  let counter = 0

  const ownerOf = ({ headers }: Asked): Owner | undefined => access.get(headers.authorization?.replace('Bearer ', '') ?? '')
  const asOwner =
    (work: (owner: Owner, asked: Asked) => Reply) =>
    (asked: Asked): Reply => {
      const owner = ownerOf(asked)
      return owner && !owner.revoked ? work(owner, asked) : failure(401, 'Invalid Credentials')
    }
  const inCalendar = (work: (calendar: Calendar, asked: Asked) => Reply) =>
    asOwner((owner, asked) => {
      const calendar = owner.calendars.get(asked.parts[0] === 'primary' ? owner.email : (asked.parts[0] ?? ''))
      return calendar ? work(calendar, asked) : failure(404, 'Not Found')
    })

  const server = await serve([
    { method: 'POST', path: /^\/token$/, answer: ({ body }) => grant(body, owners, access, ++counter) },
    { method: 'GET', path: /^\/calendar\/v3\/users\/me\/calendarList$/, answer: asOwner(calendarList) },
    {
      method: 'GET',
      path: /^\/calendar\/v3\/calendars\/([^/]+)$/,
      answer: inCalendar(({ id, summary, timeZone }) => ({ body: { id, summary, timeZone } })),
    },
    {
      method: 'GET',
      path: /^\/calendar\/v3\/calendars\/([^/]+)\/events$/,
      answer: inCalendar((calendar, { query }) => eventPage(calendar, query)),
    },
    {
      method: 'POST',
      path: /^\/calendar\/v3\/calendars\/([^/]+)\/events\/watch$/,
      answer: inCalendar((calendar, { body }) => {
        const channel = {
          id: String(body.id),
          resourceId: `resource-${++counter}`,
          address: String(body.address),
          token: String(body.token),
          calendar,
        }
        channels.set(channel.id, channel)
        return { body: { kind: 'api#channel', id: channel.id, resourceId: channel.resourceId, expiration: body.expiration } }
      }),
    },
    {
      method: 'POST',
      path: /^\/calendar\/v3\/channels\/stop$/,
      answer: asOwner((_, { body }) => (channels.delete(String(body.id)) ? { status: 204 } : failure(404, 'Channel not found'))),
    },
  ])

  return {
    ...server,
    tokenUrl: `${server.url}/token`,
    channels,
    account(email, { timeZone = 'UTC' } = {}) {
      const owner: Owner = { email, refreshToken: `refresh-${email}`, revoked: false, calendars: new Map() }
      owners.set(owner.refreshToken, owner)
      owner.calendars.set(email, newCalendar(email, { summary: email, timeZone, accessRole: 'owner', primary: true }))
      return accountOf(owner, { now, notify: (calendar) => notify(calendar, channels) })
    },
  }
}

function notify(calendar: Calendar, channels: ReadonlyMap<string, Channel>): void {
  for (const { id, token, resourceId, address } of [...channels.values()].filter((it) => it.calendar === calendar)) {
    const channel = { 'x-goog-channel-id': id, 'x-goog-channel-token': token }
    const resource = { 'x-goog-resource-id': resourceId, 'x-goog-resource-state': 'exists' }
    // An unreachable receiver misses the notification, as with the real service.
    fetch(address, { method: 'POST', headers: { ...channel, ...resource } }).catch(() => undefined)
  }
}

function accountOf(owner: Owner, { now, notify }: { now: () => Date; notify: (calendar: Calendar) => void }): GoogleAccount {
  const calendarNamed = (id = owner.email): Calendar => {
    const calendar = owner.calendars.get(id)
    if (!calendar) throw new Error(`sim: no calendar ${id}`)
    return calendar
  }
  const write = (calendar: Calendar, item: GoogleItem): void => {
    calendar.items.set(item.id, { ...item, updated: now().toISOString() })
    calendar.changes.push(item.id)
    notify(calendar)
  }
  return {
    email: owner.email,
    credentials: { ...CLIENT, google_refresh_token: owner.refreshToken },
    addCalendar(id, { summary = id, timeZone = 'UTC', accessRole = 'owner' } = {}) {
      owner.calendars.set(id, newCalendar(id, { summary, timeZone, accessRole, primary: false }))
    },
    dropCalendar: (id) => void owner.calendars.delete(id),
    put(event, calendarId) {
      const calendar = calendarNamed(calendarId)
      const known = calendar.items.get(event.id) ?? {
        id: event.id,
        iCalUID: `${event.id}@google.com`,
        status: 'confirmed',
        created: now().toISOString(),
      }
      write(calendar, { ...known, ...event, status: event.status ?? 'confirmed' })
    },
    remove(id, calendarId) {
      const calendar = calendarNamed(calendarId)
      write(calendar, { id, status: 'cancelled' })
      for (const item of calendar.items.values()) if (item.recurringEventId === id) calendar.items.delete(item.id)
    },
    except(master, originalStart, change, calendarId) {
      const calendar = calendarNamed(calendarId)
      const series = calendar.items.get(master)
      if (!series) throw new Error(`sim: no series ${master}`)
      const id = `${master}_${new Date(originalStart).toISOString().replace(/[-:]|\.\d+/g, '')}`
      const own = { id, recurringEventId: master, originalStartTime: { dateTime: originalStart } }
      const inherited: GoogleItem = { ...series, recurrence: undefined, ...timesOf(series, originalStart) }
      if (change === 'cancelled') write(calendar, { ...own, status: 'cancelled' })
      else write(calendar, { ...inherited, ...calendar.items.get(id), ...change, ...own, status: 'confirmed' })
    },
    forgetTokens() {
      for (const calendar of owner.calendars.values()) calendar.oldest = calendar.changes.length + 1
    },
    revoke() {
      owner.revoked = true
    },
  }
}

/** As long as the other occurrences of its series, from its own start. */
function timesOf({ start, end }: GoogleItem, originalStart: string) {
  const at = (time: unknown) => Date.parse(String(Object(time).dateTime))
  const { timeZone } = Object(start)
  const over = new Date(Date.parse(originalStart) + at(end) - at(start)).toISOString()
  return { start: { dateTime: originalStart, timeZone }, end: { dateTime: over, timeZone } }
}

function newCalendar(id: string, rest: Pick<Calendar, 'summary' | 'timeZone' | 'accessRole' | 'primary'>): Calendar {
  return { id, ...rest, items: new Map(), changes: [], oldest: 0 }
}

function grant(body: Asked['body'], owners: Map<string, Owner>, access: Map<string, Owner>, number: number): Reply {
  if (body.client_id !== CLIENT.google_client_id || body.client_secret !== CLIENT.google_client_secret)
    return { status: 401, body: { error: 'invalid_client', error_description: 'The OAuth client was not found.' } }
  const owner = owners.get(String(body.refresh_token))
  if (!owner || owner.revoked)
    return { status: 400, body: { error: 'invalid_grant', error_description: 'Token has been expired or revoked.' } }
  const token = `access-${number}`
  access.set(token, owner)
  return {
    body: { access_token: token, expires_in: 3599, scope: 'https://www.googleapis.com/auth/calendar.readonly', token_type: 'Bearer' },
  }
}

function calendarList({ calendars }: Owner, { query }: Asked): Reply {
  const all = [...calendars.values()].map(({ id, summary, timeZone, primary, accessRole }) => ({
    id,
    summary,
    timeZone,
    accessRole,
    ...(primary && { primary }),
  }))
  const { page, nextPageToken } = paged(all, query)
  return { body: { kind: 'calendar#calendarList', items: page, ...(nextPageToken && { nextPageToken }) } }
}

function paged<Item>(all: readonly Item[], query: URLSearchParams): { page: readonly Item[]; nextPageToken: string | undefined } {
  const offset = Number(query.get('pageToken') ?? 0)
  const size = Number(query.get('maxResults') ?? 100)
  return { page: all.slice(offset, offset + size), nextPageToken: offset + size < all.length ? String(offset + size) : undefined }
}

function failure(code: number, message: string): Reply {
  return { status: code, body: { error: { code, message, errors: [{ domain: 'global', reason: 'error', message }] } } }
}
