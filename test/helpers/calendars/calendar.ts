// The real service with simulated calendar providers, and requests to it.
import { type GoogleAccount, type GoogleSim, startGoogle } from '../../../sims/calendars/google.ts'
import { type OutlookSim, startOutlook } from '../../../sims/calendars/outlook.ts'
import { openForFile } from '../for-file.ts'
import { type Answer, type Client, startTestService, type TestService } from '../service/service.ts'

export type CalendarService = TestService & { readonly google: GoogleSim; readonly outlook: OutlookSim }

/** No polling: the test decides when a calendar is synced. */
export async function startCalendarService(settings: Record<string, string> = {}): Promise<CalendarService> {
  const google = await startGoogle()
  const outlook = await startOutlook()
  const service = await startTestService({
    GOOGLE_API_URL: google.url,
    GOOGLE_OAUTH_URL: google.tokenUrl,
    MICROSOFT_GRAPH_URL: outlook.url,
    MICROSOFT_LOGIN_URL: outlook.url,
    CALENDAR_POLL_SECONDS: '86400',
    BOT_WORKERS: '0',
    ...settings,
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

/** Started before the tests of this file and stopped after them. */
export function calendarServiceForFile(settings: Record<string, string> = {}): CalendarService {
  return openForFile(() => startCalendarService(settings))
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
