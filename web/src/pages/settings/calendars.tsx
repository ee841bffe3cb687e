// Connected calendars, their coming events, and the bots for them.
import * as api from '../../api/sdk.gen.ts'
import type { CalendarConnection, CalendarEvent } from '../../api/types.gen.ts'
import { type Change, useChange, useNamedQuery } from '../../reload.ts'
import { ask, orNull } from '../../service.ts'
import { useWorkspace } from '../../session.ts'
import { Button, Choice, Field, Form, SureButton, Switch, type Typed } from '../../ui/form.tsx'
import { CardList, CardRow, Section } from '../../ui/section.tsx'
import { Await, Problem } from '../../ui/states.tsx'
import { When } from '../../ui/status.tsx'

/** Without a calendar there is no list. */
const listEvents = async () => (await orNull(ask(api.listCalendarEvents({ query: { limit: 50 } })))) ?? { results: [] }

export function Calendars() {
  const { role } = useWorkspace()
  const mayChange = role !== 'viewer'
  const change = useChange('calendars')
  const events = useNamedQuery(['calendars', 'events'], listEvents)
  return (
    <>
      <Section title="Coming up" lead="The next four weeks of your calendars. A switch sends a bot, or takes it back.">
        {mayChange && <Automatic />}
        <Problem error={change.error} />
        <Await query={events}>
          {({ results }) => (
            <CardList none="Nothing is coming up.">
              {results.map((event) => (
                <EventRow key={event.id} event={event} mayChange={mayChange} change={change.mutate} />
              ))}
            </CardList>
          )}
        </Await>
      </Section>
      <Connections mayChange={mayChange} />
      {mayChange && <Connect />}
    </>
  )
}

function Automatic() {
  const change = useChange('calendars')
  const { data } = useNamedQuery(['calendars', 'automatic'], () => ask(api.getAutoScheduleSettings()))
  if (!data) return null
  return (
    <Switch
      label="A bot for every meeting with a link"
      checked={data.auto_schedule_enabled}
      onChange={({ target }) =>
        change.mutate(() => ask<unknown>(target.checked ? api.enableAutoSchedule({ body: {} }) : api.disableAutoSchedule()))
      }
    />
  )
}

type EventRowProps = { readonly event: CalendarEvent; readonly mayChange: boolean; readonly change: Change }

function EventRow({ event, mayChange, change }: EventRowProps) {
  const path = { event_id: event.id }
  const hasBot = event.bots.some(({ is_scheduled }) => is_scheduled)
  const toggle = (wanted: boolean) => () =>
    ask<unknown>(wanted ? api.scheduleEvent({ path, body: {} }) : api.unscheduleEvent({ path, body: {} }))
  const detail = (
    <>
      <When at={event.start_time} /> · {event.meeting_platform ?? 'no meeting link'}
    </>
  )
  return (
    <CardRow title={event.summary || 'Untitled'} detail={detail}>
      {event.meeting_url && (
        <Switch label="Bot" disabled={!mayChange} checked={hasBot} onChange={({ target }) => change(toggle(target.checked))} />
      )}
    </CardRow>
  )
}

function Connections({ mayChange }: { mayChange: boolean }) {
  const change = useChange('calendars')
  const connections = useNamedQuery(['calendars', 'connections'], () => ask(api.listCalendarConnections()))
  return (
    <Section title="Connected" lead="Calendars belong to you, not to the workspace.">
      <Problem error={change.error} />
      <Await query={connections}>
        {({ connections: list }) => (
          <CardList none="No calendar is connected.">
            {list.map((it) => (
              <ConnectionRow key={it.account_id} connection={it} mayChange={mayChange} change={change.mutate} />
            ))}
          </CardList>
        )}
      </Await>
    </Section>
  )
}

type ConnectionRowProps = { readonly connection: CalendarConnection; readonly mayChange: boolean; readonly change: Change }

function ConnectionRow({ connection: { account_id, email, status, error, last_synced_at, ...it }, mayChange, change }: ConnectionRowProps) {
  const provider = it.provider === 'google' ? 'google' : 'outlook'
  const detail = (
    <>
      {it.provider} · {error ?? status} {last_synced_at && <When at={last_synced_at} />}
    </>
  )
  const disconnect = () => change(() => ask(api.disconnectCalendarAccount({ path: { provider, account_id } })))
  return (
    <CardRow title={email} detail={detail} isBad={Boolean(error)}>
      {mayChange && <SureButton label="Disconnect" sure="Really disconnect?" onSure={disconnect} />}
    </CardRow>
  )
}

function connect({ provider, id = '', secret = '', token = '' }: Typed): Promise<unknown> {
  if (provider === 'outlook')
    return ask(
      api.connectOutlookCalendar({ body: { microsoft_client_id: id, microsoft_client_secret: secret, microsoft_refresh_token: token } }),
    )
  return ask(api.connectGoogleCalendar({ body: { google_client_id: id, google_client_secret: secret, google_refresh_token: token } }))
}

function Connect() {
  const change = useChange('calendars')
  return (
    <Section title="Connect" lead="With an OAuth client of your own. The docs say how to get the three values.">
      <Form className="grid gap-4 sm:grid-cols-2" onSend={(typed) => change.mutate(() => connect(typed))}>
        <Choice label="Provider" name="provider">
          <option value="google">Google Calendar</option>
          <option value="outlook">Outlook</option>
        </Choice>
        <Field label="Client id" name="id" required autoComplete="off" />
        <Field label="Client secret" name="secret" type="password" required autoComplete="off" />
        <Field label="Refresh token" name="token" type="password" required autoComplete="off" />
        <div className="sm:col-span-2">
          <Button type="submit" label={change.isPending ? 'Connecting …' : 'Connect'} className="button-main" disabled={change.isPending} />
        </div>
      </Form>
      <Problem error={change.error} />
    </Section>
  )
}
