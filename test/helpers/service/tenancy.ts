// Objects of a workspace: an id of every kind, and an unknown id of the same form.
import { randomBytes } from 'node:crypto'
import type { GoogleSim } from '../../../sims/calendars/google.ts'
import { during, inHours, meetLink } from '../calendars/event-fields.ts'
import { secretsOf } from '../meetings/google-login.ts'
import type { Operation } from '../requests/openapi.ts'
import type { Client } from './service.ts'

type Ids = Readonly<Record<string, string | undefined>>

export type Possessions = {
  /** By parameter name. Names of Teams alone start with `teams `. */
  readonly existing: Ids
  readonly unknown: Ids
  /** Texts that only this owner's answers may contain. */
  readonly marks: readonly string[]
  /** A body with which the operation has an effect. */
  bodyFor(operation: Operation): Readonly<Record<string, unknown>> | undefined
  /** Everything as its owner sees it. */
  rows(): Promise<unknown>
}

const BODIES: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  message: { message: 'Hello' },
  img_url: { img_url: 'https://images.example/x.png' },
  text: { text: 'Hello' },
  provider: { provider: 'native' },
  scheduled_join_time: { scheduled_join_time: '2026-12-24T18:00:00+01:00' },
  login_mode: { name: 'Renamed', login_mode: 'if_required' },
  is_active: { is_active: false },
  enabled: { description: 'Renamed' },
  to: { from: '2026-01-01T00:00:00Z', to: '2026-01-02T00:00:00Z' },
  schedule_all_occurrences: {},
  cancel_all_occurrences: {},
}

const SECRETS = { ...secretsOf(), password: 'secret' }

export async function ownerOf(owner: Client, calendars: GoogleSim): Promise<Possessions> {
  const mark = randomBytes(6).toString('hex')
  const endpoint = await onlyEndpoint(owner, mark)
  const bot = await made(owner, '/api/v1/bots/create_bot', {
    meeting_link: 'https://meet.google.com/abc-defg-hij',
    bot_name: mark,
    join_at: new Date(Date.now() + 86_400_000).toISOString(),
    callback_url: `http://127.0.0.1:9/${mark}`,
  })
  const domain = `${mark}.example`
  const email = `bot@${domain}`
  await made(owner, '/api/v1/google-login-domains', { sso_workspace_domain: domain })
  const google = await made(owner, '/api/v1/google-logins', { domain, email, ...SECRETS })
  await made(owner, '/api/v1/teams-login-domains', { domain })
  const teams = await made(owner, '/api/v1/teams-logins', { domain, email, ...SECRETS })
  await owner('PATCH', '/api/v1/settings', { zoom_sdk_key: mark, zoom_sdk_secret: mark })
  await owner('PATCH', '/api/v1/settings', { teams_bot_tenant: mark, teams_bot_client_id: mark, teams_bot_client_secret: mark })

  const calendar = await connectCalendar(owner, calendars, mark)

  const { body: log } = await owner('GET', `/api/v1/webhook_deliveries?endpoint_id=${endpoint}`)
  const webhooks = { endpoint_id: endpoint, delivery_id: log.deliveries[0].delivery_id }
  const existing = {
    ...bot,
    ...calendar,
    ...webhooks,
    login_id: google.login_id,
    domain,
    'teams login_id': teams.login_id,
    'teams domain': domain,
  }
  const unknown = Object.fromEntries(Object.entries(existing).map(([name, id]) => [name, id?.replace(/[a-z0-9]{4}/, 'zzzz')]))
  return {
    existing,
    unknown,
    marks: [mark, ...Object.values(existing)].filter((it) => it !== undefined),
    bodyFor: (operation) => bodyFor(operation, mark),
    rows: () => rows(owner, bot.bot_id ?? '', domain),
  }
}

/** Replaces the previous endpoint, because a workspace has ten at most. It receives the events of the next bot. */
async function onlyEndpoint(owner: Client, mark: string): Promise<string> {
  for (const { id } of (await owner('GET', '/api/v1/webhook_endpoints')).body.endpoints)
    await owner('DELETE', `/api/v1/webhook_endpoints/${id}`)
  const { id } = await made(owner, '/api/v1/webhook_endpoints', { url: `http://127.0.0.1:9/${mark}`, events: ['*'] })
  return id ?? ''
}

/** A calendar with an event and automatic bots. */
async function connectCalendar(owner: Client, google: GoogleSim, mark: string): Promise<Record<string, string | undefined>> {
  const account = google.account(`${mark}@calendar.example`)
  account.put({ id: mark, hangoutLink: meetLink(Number.parseInt(mark, 16) % 10_000_000_000), ...during(inHours(5)) })
  await owner('POST', '/api/v1/calendar/auto-schedule/enable', { default_bot_config: { bot_name: mark } })
  const { body } = await owner('POST', '/api/v1/calendar/create_calendar', account.credentials)
  const { body: events } = await owner('GET', `/api/v1/calendar/events?calendar_id=${body.calendar_id}`)
  return { calendar_id: body.calendar_id, provider: 'google', account_id: body.account_id, event_id: events.results[0].id }
}

async function made(owner: Client, path: string, body: object): Promise<Record<string, string | undefined>> {
  const answer = await owner('POST', path, body)
  if (answer.status !== 201) throw new Error(`${path} answers ${answer.status}: ${JSON.stringify(answer.body)}`)
  return answer.body
}

/** The body is found by a field of the operation's schema. */
function bodyFor({ path, body }: Operation, mark: string): Readonly<Record<string, unknown>> | undefined {
  if (!body) return undefined
  if (path.endsWith('-logins')) return { email: `new@${mark}.example`, ...SECRETS }
  const field = Object.keys(BODIES).find((name) => Object.hasOwn(body.properties ?? {}, name))
  if (!field) throw new Error(`${path} takes a body that is missing in test/helpers/service/tenancy.ts`)
  return BODIES[field]
}

async function rows(owner: Client, botId: string, domain: string): Promise<unknown> {
  const paths = ['google', 'teams'].flatMap((kind) => [`/api/v1/${kind}-login-domains/${domain}`, `/api/v1/${kind}-logins`])
  return Promise.all(
    [`/api/v1/bots/${botId}/detail`, '/api/v1/calendar/events', ...paths].map(async (path) => (await owner('GET', path)).body),
  )
}
