// Connected calendars, their coming events, and the bots for them.
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import {
  connectGoogleCalendar,
  connectOutlookCalendar,
  disableAutoSchedule,
  disconnectCalendarAccount,
  enableAutoSchedule,
  getAutoScheduleSettings,
  listCalendarConnections,
  listCalendarEvents,
  scheduleEvent,
  unscheduleEvent,
} from '../../api/sdk.gen.ts'
import type { ListCalendarEventsResponse } from '../../api/types.gen.ts'
import { reload } from '../../reload.ts'
import { ask, orNull } from '../../service.ts'
import { useWorkspace } from '../../session.ts'
import { Choice, Field, SureButton, Switch } from '../../ui/form.tsx'
import { Section } from '../../ui/section.tsx'
import { Await, Problem } from '../../ui/states.tsx'
import { When } from '../../ui/status.tsx'
import { typedIn } from '../sign-in.tsx'

type Event = ListCalendarEventsResponse['results'][number]

/** Runs a change and then refetches everything about calendars. */
function useChange() {
  const { workspace_id } = useWorkspace()
  const queries = useQueryClient()
  return useMutation({
    mutationFn: (work: () => Promise<unknown>) => work(),
    onSuccess: () => reload(queries, [workspace_id, 'calendars']),
  })
}

export function Calendars() {
  const { workspace_id, role } = useWorkspace()
  const mayChange = role !== 'viewer'
  const change = useChange()
  const events = useQuery({
    queryKey: [workspace_id, 'calendars', 'events'],
    // Without a calendar there is no list.
    queryFn: async () => (await orNull(ask(listCalendarEvents({ query: { limit: 50 } })))) ?? { results: [] },
  })
  return (
    <>
      <Section title="Coming up" lead="The next four weeks of your calendars. A switch sends a bot, or takes it back.">
        {mayChange && <Automatic />}
        <Problem error={change.error} />
        <Await query={events}>
          {({ results }) =>
            results.length === 0 ? (
              <p className="text-soft card px-5 py-8 text-center">Nothing is coming up.</p>
            ) : (
              <ul className="card divide-line divide-y">
                {results.map((event) => (
                  <EventRow key={event.id} event={event} mayChange={mayChange} change={change.mutate} />
                ))}
              </ul>
            )
          }
        </Await>
      </Section>
      <Connections mayChange={mayChange} />
      {mayChange && <Connect />}
    </>
  )
}

function Automatic() {
  const { workspace_id } = useWorkspace()
  const change = useChange()
  const { data } = useQuery({ queryKey: [workspace_id, 'calendars', 'automatic'], queryFn: () => ask(getAutoScheduleSettings()) })
  if (!data) return null
  return (
    <Switch
      label="A bot for every meeting with a link"
      checked={data.auto_schedule_enabled}
      onChange={({ target }) =>
        change.mutate(() => ask<unknown>(target.checked ? enableAutoSchedule({ body: {} }) : disableAutoSchedule()))
      }
    />
  )
}

type EventRowProps = { readonly event: Event; readonly mayChange: boolean; readonly change: (work: () => Promise<unknown>) => void }

function EventRow({ event, mayChange, change }: EventRowProps) {
  const path = { event_id: event.id }
  const hasBot = event.bots.some(({ is_scheduled }) => is_scheduled)
  const toggle = (wanted: boolean) => () => ask<unknown>(wanted ? scheduleEvent({ path, body: {} }) : unscheduleEvent({ path, body: {} }))
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 px-5 py-3.5">
      <div className="min-w-40 flex-1">
        <p className="truncate font-medium">{event.summary || 'Untitled'}</p>
        <p className="text-soft text-[13px]">
          <When at={event.start_time} /> · {event.meeting_platform ?? 'no meeting link'}
        </p>
      </div>
      {event.meeting_url && (
        <Switch label="Bot" disabled={!mayChange} checked={hasBot} onChange={({ target }) => change(toggle(target.checked))} />
      )}
    </li>
  )
}

function Connections({ mayChange }: { mayChange: boolean }) {
  const { workspace_id } = useWorkspace()
  const change = useChange()
  const connections = useQuery({ queryKey: [workspace_id, 'calendars', 'connections'], queryFn: () => ask(listCalendarConnections()) })
  return (
    <Section title="Connected" lead="Calendars belong to you, not to the workspace.">
      <Problem error={change.error} />
      <Await query={connections}>
        {({ connections: list }) => (
          <ul className="card divide-line divide-y">
            {list.map(({ provider, account_id, email, status, error, last_synced_at }) => (
              <li key={account_id} className="flex flex-wrap items-center gap-x-4 gap-y-2 px-5 py-3.5">
                <div className="min-w-40 flex-1">
                  <p className="truncate font-medium">{email}</p>
                  <p className={`text-[13px] ${error ? 'text-bad' : 'text-soft'}`}>
                    {provider} · {error ?? status} {last_synced_at && <When at={last_synced_at} />}
                  </p>
                </div>
                {mayChange && (
                  <SureButton
                    label="Disconnect"
                    sure="Really disconnect?"
                    onSure={() =>
                      change.mutate(() =>
                        ask(disconnectCalendarAccount({ path: { provider: provider === 'google' ? 'google' : 'outlook', account_id } })),
                      )
                    }
                  />
                )}
              </li>
            ))}
            {list.length === 0 && <li className="text-soft px-5 py-8 text-center">No calendar is connected.</li>}
          </ul>
        )}
      </Await>
    </Section>
  )
}

const CONNECT = {
  google: (id: string, secret: string, token: string) =>
    connectGoogleCalendar({ body: { google_client_id: id, google_client_secret: secret, google_refresh_token: token } }),
  outlook: (id: string, secret: string, token: string) =>
    connectOutlookCalendar({ body: { microsoft_client_id: id, microsoft_client_secret: secret, microsoft_refresh_token: token } }),
} as const

function Connect() {
  const [provider, setProvider] = useState<keyof typeof CONNECT>('google')
  const change = useChange()
  return (
    <Section title="Connect" lead="With an OAuth client of your own. The docs say how to get the three values.">
      <form
        className="grid gap-4 sm:grid-cols-2"
        onSubmit={(event) => {
          const { id = '', secret = '', token = '' } = typedIn(event)
          change.mutate(() => ask<unknown>(CONNECT[provider](id, secret, token)))
        }}
      >
        <Choice label="Provider" value={provider} onChange={({ target }) => setProvider(target.value === 'outlook' ? 'outlook' : 'google')}>
          <option value="google">Google Calendar</option>
          <option value="outlook">Outlook</option>
        </Choice>
        <Field label="Client id" name="id" required autoComplete="off" />
        <Field label="Client secret" name="secret" type="password" required autoComplete="off" />
        <Field label="Refresh token" name="token" type="password" required autoComplete="off" />
        <div className="sm:col-span-2">
          <button type="submit" className="button button-main" disabled={change.isPending}>
            {change.isPending ? 'Connecting …' : 'Connect'}
          </button>
        </div>
      </form>
      <Problem error={change.error} />
    </Section>
  )
}
