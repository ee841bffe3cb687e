// Webhook endpoints with their log: added, tested, disabled, replayed.
import { useState } from 'react'
import * as api from '../../api/sdk.gen.ts'
import type { CreateWebhookEndpointData, WebhookEndpoint } from '../../api/types.gen.ts'
import { useChange, useNamedQuery } from '../../reload.ts'
import { ask } from '../../service.ts'
import { useWorkspace } from '../../session.ts'
import { Button, Choice, Field, Form, ShownOnce, SureButton, Switch, type Typed, Values } from '../../ui/form.tsx'
import { CardList, Section } from '../../ui/section.tsx'
import { Await, Problem } from '../../ui/states.tsx'
import { When } from '../../ui/status.tsx'
import { DeliveryLog } from './delivery-log.tsx'

const HOUR_MS = 60 * 60_000

export function Webhooks() {
  const { role } = useWorkspace()
  const endpoints = useNamedQuery(['webhooks', 'endpoints'], () => ask(api.listWebhookEndpoints()))
  const mayChange = role !== 'viewer'
  return (
    <>
      {mayChange && <NewEndpoint />}
      <Section title="Endpoints" lead="Each gets the events it wants, signed with its own secret.">
        <Await query={endpoints}>
          {({ endpoints: list }) =>
            list.length === 0 ? (
              <CardList none="No endpoints yet." />
            ) : (
              list.map((endpoint) => <Endpoint key={endpoint.id} endpoint={endpoint} mayChange={mayChange} />)
            )
          }
        </Await>
      </Section>
      <Log />
    </>
  )
}

function NewEndpoint() {
  const make = useChange<{ secret: string }>('webhooks')
  const onSend = (typed: Typed) => {
    // The service checks the event names and reports an unknown one.
    const events = (typed.events ?? '*').split(/[\s,]+/).filter(Boolean) as CreateWebhookEndpointData['body']['events']
    const retry = typed.retry === 'standard' ? 'standard' : 'none'
    const body = { url: typed.url ?? '', events, retry, description: typed.description || null } as const
    make.mutate(() => ask(api.createWebhookEndpoint({ body })))
  }
  return (
    <Section title="New endpoint" lead="At most ten.">
      <Form onSend={onSend}>
        <Field label="URL" name="url" type="url" required placeholder="https://example.com/hooks/emissary" />
        <div className="grid gap-4 sm:grid-cols-2">
          <Field label="Events" name="events" defaultValue="*" hint="* for all, or names such as bot.done bot.stopped" />
          <Choice label="After a response outside 2xx" name="retry" defaultValue="standard">
            <option value="standard">Retry for three days</option>
            <option value="none">Do not retry</option>
          </Choice>
        </div>
        <Field label="Description" name="description" maxLength={500} />
        <Button type="submit" label="Add the endpoint" className="button-main self-start" disabled={make.isPending} />
        <Problem error={make.error} />
        {make.data && <Secret secret={make.data.secret} />}
      </Form>
    </Section>
  )
}

const Secret = ({ secret }: { secret: string }) => (
  <ShownOnce lead="The signing secret. It is not shown again." text={secret} label="The secret" />
)

function Endpoint({ endpoint, mayChange }: { endpoint: WebhookEndpoint; mayChange: boolean }) {
  const path = { endpoint_id: endpoint.id }
  const act = useChange<{ message?: string; secret?: string }>('webhooks')
  const lastDay = () => ({ from: new Date(Date.now() - 24 * HOUR_MS).toISOString(), to: new Date().toISOString() })
  const toggle = async (enabled: boolean) => {
    await ask(api.updateWebhookEndpoint({ path, body: { enabled } }))
    return {}
  }
  return (
    <article className="card flex flex-col gap-4 p-5">
      <div className="flex flex-wrap items-start justify-between gap-4">
        <div className="min-w-0">
          <p className="font-medium break-all">{endpoint.url}</p>
          <p className="text-soft text-[13px]">
            {endpoint.description && `${endpoint.description} · `}
            {endpoint.events.join(', ')}
          </p>
          {endpoint.failing_since && (
            <p className="text-bad text-[13px]">
              Failing since <When at={endpoint.failing_since} />
            </p>
          )}
          {endpoint.disabled_reason && <p className="text-warm text-[13px]">{endpoint.disabled_reason}</p>}
        </div>
        {mayChange && <Switch label="On" checked={endpoint.enabled} onChange={({ target }) => act.mutate(() => toggle(target.checked))} />}
      </div>
      {mayChange && (
        <div className="flex flex-wrap gap-2">
          <Button label="Send a test" onClick={() => act.mutate(() => ask(api.testWebhookEndpoint({ path })))} />
          <Button label="Replay the last day" onClick={() => act.mutate(() => ask(api.replayWebhookEvents({ path, body: lastDay() })))} />
          <SureButton
            label="New secret"
            sure="The old one ends now. Sure?"
            onSure={() => act.mutate(() => ask(api.rotateWebhookSecret({ path })))}
          />
          <SureButton label="Delete" sure="Really delete?" onSure={() => act.mutate(() => ask(api.deleteWebhookEndpoint({ path })))} />
        </div>
      )}
      <Problem error={act.error} />
      {act.data?.message && (
        <p role="status" className="text-sm">
          {act.data.message}
        </p>
      )}
      {act.data?.secret && <Secret secret={act.data.secret} />}
    </article>
  )
}

const STATES = ['delivered', 'failed', 'queued', 'sending'] as const
const LOOK_EVERY_MS = 5_000

function Log() {
  const [status, setStatus] = useState<(typeof STATES)[number] | undefined>()
  const list = () => ask(api.listDeliveries({ query: { limit: 50, status } }))
  const log = useNamedQuery(['webhooks', 'deliveries', status ?? ''], list, LOOK_EVERY_MS)
  const resend = useChange('webhooks')
  return (
    <Section title="Log" lead="The last fifty deliveries, with every attempt.">
      <select
        aria-label="Deliveries"
        className="field w-48 py-1.5 text-sm"
        value={status ?? ''}
        onChange={({ target }) => setStatus(STATES.find((it) => it === target.value))}
      >
        <option value="">All deliveries</option>
        <Values of={STATES} />
      </select>
      <Problem error={resend.error} />
      <Await query={log}>
        {({ deliveries }) =>
          deliveries.length === 0 ? (
            <p className="text-soft card px-5 py-8 text-center">Nothing was delivered yet.</p>
          ) : (
            <DeliveryLog
              deliveries={deliveries}
              onResend={(delivery_id) => resend.mutate(() => ask(api.resendDelivery({ path: { delivery_id } })))}
            />
          )
        }
      </Await>
    </Section>
  )
}
