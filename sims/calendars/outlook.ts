// Microsoft Graph's calendars for their clients: rotating OAuth tokens, calendar views with delta links, subscriptions.

import { type Asked, type Reply, type Route, type SimServer, serve } from './http.ts'
import { type DeltaFeed, deltaPage, type OutlookEvent } from './outlook-view.ts'

type Calendar = DeltaFeed & { readonly id: string; readonly name: string; readonly isDefault: boolean; readonly owner: string }

type Subscription = { readonly id: string; readonly address: string; readonly state: string; readonly calendar: Calendar }

type Owner = { readonly email: string; refreshToken: string; revoked: boolean; readonly calendars: Map<string, Calendar> }

type OutlookAccount = {
  readonly email: string
  readonly calendarId: string
  credentials(): {
    readonly microsoft_client_id: string
    readonly microsoft_client_secret: string
    readonly microsoft_refresh_token: string
  }
  /** Writes an event as its owner would. Omitted fields stay. A series carries `series`. */
  put(event: OutlookEvent): void
  remove(id: string): void
  /** One occurrence of a series by its number, cancelled or changed. */
  except(master: string, number: number, change: Readonly<Record<string, unknown>> | 'cancelled'): void
  forgetTokens(): void
  revoke(): void
}

export type OutlookSim = SimServer & { account(email: string): OutlookAccount; readonly subscriptions: ReadonlyMap<string, Subscription> }

const CLIENT = { microsoft_client_id: 'app-id', microsoft_client_secret: 'app-secret' }

export async function startOutlook({ now = () => new Date() } = {}): Promise<OutlookSim> {
  const owners = new Set<Owner>()
  const access = new Map<string, Owner>()
  const subscriptions = new Map<string, Subscription>()
  const server = await serve(routesOf({ owners, access, subscriptions }))
  return {
    ...server,
    subscriptions,
    account(email) {
      const owner: Owner = { email, refreshToken: `refresh-${email}-0`, revoked: false, calendars: new Map() }
      const calendar: Calendar = {
        id: `AAMk${owners.size}=`,
        name: 'Calendar',
        isDefault: true,
        owner: email,
        events: new Map(),
        changes: [],
        oldest: 0,
      }
      owners.add(owner)
      owner.calendars.set(calendar.id, calendar)
      return accountOf(owner, calendar, { now, notify: (changed) => notify(changed, subscriptions) })
    },
  }
}

type World = { readonly owners: Set<Owner>; readonly access: Map<string, Owner>; readonly subscriptions: Map<string, Subscription> }

function routesOf({ owners, access, subscriptions }: World): readonly Route[] {
  let counter = 0

  const asOwner = (work: (owner: Owner, asked: Asked) => Reply | Promise<Reply>) => (asked: Asked) => {
    const owner = access.get(asked.headers.authorization?.replace('Bearer ', '') ?? '')
    return owner && !owner.revoked
      ? work(owner, asked)
      : failure(401, 'InvalidAuthenticationToken', 'Access token has expired or is not yet valid.')
  }
  return [
    { method: 'POST', path: /^\/common\/oauth2\/v2\.0\/token$/, answer: ({ body }) => grant(body, owners, access, ++counter) },
    {
      method: 'GET',
      path: /^\/v1\.0\/me$/,
      answer: asOwner(({ email }) => ({ body: { mail: email, userPrincipalName: email, id: email } })),
    },
    {
      method: 'GET',
      path: /^\/v1\.0\/me\/calendars$/,
      answer: asOwner(({ calendars }) => ({ body: { value: [...calendars.values()].map(presented) } })),
    },
    {
      method: 'GET',
      path: /^\/v1\.0\/me\/calendars\/([^/]+)\/calendarView\/delta$/,
      answer: asOwner(({ calendars }, { parts, query, headers }) => {
        const calendar = calendars.get(parts[0] ?? '')
        const size = Number(/odata\.maxpagesize=(\d+)/.exec(String(headers.prefer))?.[1] ?? 10)
        return calendar
          ? deltaPage(calendar, query, { size, base: `http://${headers.host}/v1.0/me/calendars/${parts[0]}` })
          : failure(404, 'ErrorItemNotFound', 'Not found')
      }),
    },
    {
      method: 'GET',
      path: /^\/v1\.0\/me\/events\/([^/]+)$/,
      answer: asOwner(({ calendars }, { parts }) => eventNamed(calendars, parts[0] ?? '')),
    },
    {
      method: 'POST',
      path: /^\/v1\.0\/subscriptions$/,
      answer: asOwner((owner, { body }) => subscribe(owner, body, subscriptions, ++counter)),
    },
    {
      method: 'DELETE',
      path: /^\/v1\.0\/subscriptions\/([^/]+)$/,
      answer: asOwner((_, { parts }) =>
        subscriptions.delete(parts[0] ?? '') ? { status: 204 } : failure(404, 'ResourceNotFound', 'Not found'),
      ),
    },
  ]
}

function notify(calendar: Calendar, subscriptions: ReadonlyMap<string, Subscription>): void {
  for (const { id, address, state } of [...subscriptions.values()].filter((it) => it.calendar === calendar)) {
    const body = JSON.stringify({ value: [{ subscriptionId: id, clientState: state, changeType: 'updated' }] })
    // An unreachable receiver misses the notification, as with the real service.
    fetch(address, { method: 'POST', headers: { 'content-type': 'application/json' }, body }).catch(() => undefined)
  }
}

function accountOf(
  owner: Owner,
  calendar: Calendar,
  { now, notify }: { now: () => Date; notify: (calendar: Calendar) => void },
): OutlookAccount {
  const write = (id: string, event: OutlookEvent | null): void => {
    if (event) calendar.events.set(id, { ...event, lastModifiedDateTime: now().toISOString() })
    else calendar.events.delete(id)
    calendar.changes.push(id)
    notify(calendar)
  }
  return {
    email: owner.email,
    calendarId: calendar.id,
    credentials: () => ({ ...CLIENT, microsoft_refresh_token: owner.refreshToken }),
    put(event) {
      const known = calendar.events.get(event.id) ?? {
        id: event.id,
        iCalUId: `${event.id}-uid`,
        type: event.series ? 'seriesMaster' : 'singleInstance',
      }
      write(event.id, { ...known, ...event })
    },
    remove: (id) => write(id, null),
    except(master, number, change) {
      const series = calendar.events.get(master)
      if (!series?.series) throw new Error(`sim: no series ${master}`)
      const exceptions = { ...series.series.exceptions, [number]: change }
      write(master, { ...series, series: { ...series.series, exceptions } })
    },
    forgetTokens() {
      calendar.oldest = calendar.changes.length + 1
    },
    revoke() {
      owner.revoked = true
    },
  }
}

/** Every grant issues a new refresh token and revokes the old one. */
function grant(body: Asked['body'], owners: Set<Owner>, access: Map<string, Owner>, number: number): Reply {
  const owner = [...owners].find(({ refreshToken }) => refreshToken === body.refresh_token)
  const known = body.client_id === CLIENT.microsoft_client_id && body.client_secret === CLIENT.microsoft_client_secret
  if (!owner || owner.revoked || !known)
    return {
      status: 400,
      body: { error: 'invalid_grant', error_description: 'AADSTS70000: The provided grant is invalid or has been revoked.' },
    }
  owner.refreshToken = `refresh-${owner.email}-${number}`
  access.set(`access-${number}`, owner)
  return { body: { token_type: 'Bearer', access_token: `access-${number}`, expires_in: 3600, refresh_token: owner.refreshToken } }
}

/** Microsoft first validates that the address belongs to the caller. */
async function subscribe(owner: Owner, body: Asked['body'], subscriptions: Map<string, Subscription>, number: number): Promise<Reply> {
  const calendar = owner.calendars.get(/^\/me\/calendars\/([^/]+)\/events$/.exec(String(body.resource))?.[1] ?? '')
  if (!calendar) return failure(400, 'InvalidRequest', 'Unknown resource')
  const proven = await isProven(String(body.notificationUrl), `proof ${number} ✓`)
  if (!proven) return failure(400, 'ValidationError', 'Subscription validation request failed.')
  const subscription = { id: `subscription-${number}`, address: String(body.notificationUrl), state: String(body.clientState), calendar }
  subscriptions.set(subscription.id, subscription)
  return { status: 201, body: { id: subscription.id, expirationDateTime: body.expirationDateTime, resource: body.resource } }
}

async function isProven(address: string, proof: string): Promise<boolean> {
  // An unreachable address is not validated.
  const response = await fetch(`${address}?validationToken=${encodeURIComponent(proof)}`, { method: 'POST' }).catch(() => null)
  const isText = response?.headers.get('content-type')?.startsWith('text/plain') ?? false
  return isText && response?.status === 200 && (await response.text()) === proof
}

function eventNamed(calendars: ReadonlyMap<string, Calendar>, id: string): Reply {
  const found = [...calendars.values()].flatMap(({ events }) => events.get(id) ?? [])[0]
  return found ? { body: found } : failure(404, 'ErrorItemNotFound', 'The specified object was not found in the store.')
}

function presented({ id, name, isDefault, owner }: Calendar) {
  return { id, name, isDefaultCalendar: isDefault, canEdit: true, owner: { name: owner, address: owner } }
}

function failure(status: number, code: string, message: string): Reply {
  return { status, body: { error: { code, message } } }
}
