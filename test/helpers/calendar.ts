// The real service with simulated calendar providers, and events for its tests.
import { createServer } from 'node:net'
import { type GoogleAccount, type GoogleSim, startGoogle } from '../../sims/calendars/google.ts'
import { type OutlookSim, startOutlook } from '../../sims/calendars/outlook.ts'
import { type Answer, type Client, startTestService, type TestService } from './service.ts'

export type CalendarService = TestService & { readonly google: GoogleSim; readonly outlook: OutlookSim }

/** No polling: the test decides when a calendar is synced. */
export async function startCalendarService(settings: Record<string, string> = {}): Promise<CalendarService> {
  const google = await startGoogle()
  const outlook = await startOutlook()
  const service = await startTestService({
    ...{
      GOOGLE_API_URL: google.url,
      GOOGLE_OAUTH_URL: google.tokenUrl,
      MICROSOFT_GRAPH_URL: outlook.url,
      MICROSOFT_LOGIN_URL: outlook.url,
    },
    ...{ CALENDAR_POLL_SECONDS: '86400', BOT_HOSTS: '0', ...settings },
  })
  return {
    ...service,
    google,
    outlook,
    async stop() {
      await service.stop()
      await google.close()
      await outlook.close()
    },
  }
}

const MINUTE_MS = 60_000

export const inMinutes = (minutes: number): Date => new Date(Math.ceil(Date.now() / MINUTE_MS) * MINUTE_MS + minutes * MINUTE_MS)
export const inHours = (hours: number): Date => inMinutes(hours * 60)

/** Start and end in Google's format. */
export function during(start: Date, minutes = 30, timeZone = 'UTC') {
  const end = new Date(start.getTime() + minutes * MINUTE_MS)
  return { start: { dateTime: start.toISOString(), timeZone }, end: { dateTime: end.toISOString(), timeZone } }
}

const LETTERS = 'abcdefghij'

/** A different Google Meet link for every number. */
export function meetLink(number: number): string {
  const letters = String(number)
    .padStart(10, '0')
    .replaceAll(/\d/g, (digit) => LETTERS[Number(digit)] ?? 'a')
  return `https://meet.google.com/${letters.slice(0, 3)}-${letters.slice(3, 7)}-${letters.slice(7)}`
}

export type EventAnswer = {
  readonly id: string
  readonly platform_id: string
  readonly start_time: string
  readonly meeting_url: string
  readonly meeting_platform: string
  readonly is_deleted: boolean
  readonly is_recurring: boolean
  readonly is_expanded: boolean
  readonly master_event_id: string | null
  readonly recurrence_rule: string | null
  readonly bots: readonly {
    readonly id: string
    readonly status: string
    readonly scheduled_join_time: string
    readonly meeting_link: string
  }[]
}

let users = 0

/** A user with a workspace and a Google account. */
export async function newUser(
  service: CalendarService,
  timeZone = 'UTC',
): Promise<{ readonly api: Client; readonly google: GoogleAccount }> {
  users += 1
  return { api: await service.stranger(), google: service.google.account(`user${users}@example.com`, { timeZone }) }
}

export function connect(api: Client, credentials: object, more: object = {}): Promise<Answer> {
  return api('POST', '/api/v1/calendar/create_calendar', { ...credentials, ...more })
}

export async function eventsOf(api: Client, query = ''): Promise<EventAnswer[]> {
  const { status, body } = await api('GET', `/api/v1/calendar/events${query}`)
  if (status !== 200) throw new Error(`events answer ${status}: ${JSON.stringify(body)}`)
  return body.results
}

export async function scheduledOf(
  api: Client,
): Promise<{ bot_id: string; scheduled_join_time: string; meeting_link: string; custom_attributes: Record<string, string> }[]> {
  return (await api('GET', '/api/v1/calendar/scheduled')).body.scheduled_bots
}

/** For a service that must know its own address before it listens. */
export async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  return typeof address === 'object' && address ? address.port : 0
}
