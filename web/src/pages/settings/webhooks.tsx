// Webhook endpoints with their log: added, tested, disabled, replayed.
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import {
  createWebhookEndpoint,
  deleteWebhookEndpoint,
  listDeliveries,
  listWebhookEndpoints,
  replayWebhookEvents,
  resendDelivery,
  rotateWebhookSecret,
  testWebhookEndpoint,
  updateWebhookEndpoint,
} from '../../api/sdk.gen.ts'
import type { CreateWebhookEndpointData, WebhookEndpoint } from '../../api/types.gen.ts'
import { reload } from '../../reload.ts'
import { ask } from '../../service.ts'
import { useWorkspace } from '../../session.ts'
import { Choice, CopyLine, Field, SureButton, Switch } from '../../ui/form.tsx'
import { Section } from '../../ui/section.tsx'
import { Await, Problem } from '../../ui/states.tsx'
import { When } from '../../ui/status.tsx'
import { typedIn } from '../sign-in.tsx'
import { DeliveryLog } from './delivery-log.tsx'

const HOUR_MS = 60 * 60_000

export function Webhooks() {
  const { workspace_id, role } = useWorkspace()
  const endpoints = useQuery({ queryKey: [workspace_id, 'endpoints'], queryFn: () => ask(listWebhookEndpoints()) })
  const mayChange = role !== 'viewer'
  return (
    <>
      {mayChange && <NewEndpoint />}
      <Section title="Endpoints" lead="Each gets the events it wants, signed with its own secret.">
        <Await query={endpoints}>
          {({ endpoints: list }) =>
            list.length === 0 ? (
              <p className="text-soft card px-5 py-8 text-center">No endpoints yet.</p>
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

/** Runs a change and then refetches endpoints and deliveries. */
function useChange<Input, Data>(work: (input: Input) => Promise<Data>) {
  const { workspace_id } = useWorkspace()
  const queries = useQueryClient()
  return useMutation({
    mutationFn: work,
    async onSuccess() {
      await reload(queries, [workspace_id, 'endpoints'])
      await reload(queries, [workspace_id, 'deliveries'])
    },
  })
}

function NewEndpoint() {
  const make = useChange((typed: Record<string, string>) => {
    // The service checks the event names and reports an unknown one.
    const events = (typed.events ?? '*').split(/[\s,]+/).filter(Boolean) as CreateWebhookEndpointData['body']['events']
    const retry = typed.retry === 'standard' ? 'standard' : 'none'
    return ask(createWebhookEndpoint({ body: { url: typed.url ?? '', events, retry, description: typed.description || null } }))
  })
  return (
    <Section title="New endpoint" lead="At most ten.">
      <form className="flex flex-col gap-4" onSubmit={(event) => make.mutate(typedIn(event))}>
        <Field label="URL" name="url" type="url" required placeholder="https://example.com/hooks/emissary" />
        <div className="grid gap-4 sm:grid-cols-2">
          <Field label="Events" name="events" defaultValue="*" hint="* for all, or names such as bot.done bot.stopped" />
          <Choice label="After a response outside 2xx" name="retry" defaultValue="standard">
            <option value="standard">Retry for three days</option>
            <option value="none">Do not retry</option>
          </Choice>
        </div>
        <Field label="Description" name="description" maxLength={500} />
        <div>
          <button type="submit" className="button button-main" disabled={make.isPending}>
            Add the endpoint
          </button>
        </div>
        <Problem error={make.error} />
        {make.data && <Secret secret={make.data.secret} />}
      </form>
    </Section>
  )
}

function Secret({ secret }: { secret: string }) {
  return (
    <div role="status" className="flex flex-col gap-2">
      <p className="text-sm font-medium">The signing secret. It is not shown again.</p>
      <CopyLine text={secret} label="The secret" />
    </div>
  )
}

function Endpoint({ endpoint, mayChange }: { endpoint: WebhookEndpoint; mayChange: boolean }) {
  const path = { endpoint_id: endpoint.id }
  const act = useChange((work: () => Promise<{ message?: string; secret?: string }>) => work())
  const lastDay = () => ({ from: new Date(Date.now() - 24 * HOUR_MS).toISOString(), to: new Date().toISOString() })
  const toggle = async (enabled: boolean) => {
    await ask(updateWebhookEndpoint({ path, body: { enabled } }))
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
          <button type="button" className="button" onClick={() => act.mutate(() => ask(testWebhookEndpoint({ path })))}>
            Send a test
          </button>
          <button type="button" className="button" onClick={() => act.mutate(() => ask(replayWebhookEvents({ path, body: lastDay() })))}>
            Replay the last day
          </button>
          <SureButton
            label="New secret"
            sure="The old one ends now. Sure?"
            onSure={() => act.mutate(() => ask(rotateWebhookSecret({ path })))}
          />
          <SureButton label="Delete" sure="Really delete?" onSure={() => act.mutate(() => ask(deleteWebhookEndpoint({ path })))} />
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
  const { workspace_id } = useWorkspace()
  const [status, setStatus] = useState<(typeof STATES)[number] | undefined>()
  const log = useQuery({
    queryKey: [workspace_id, 'deliveries', status],
    queryFn: () => ask(listDeliveries({ query: { limit: 50, status } })),
    refetchInterval: LOOK_EVERY_MS,
  })
  const resend = useChange((delivery: string) => ask(resendDelivery({ path: { delivery_id: delivery } })))
  return (
    <Section title="Log" lead="The last fifty deliveries, with every attempt.">
      <select
        aria-label="Deliveries"
        className="field w-48 py-1.5 text-sm"
        value={status ?? ''}
        onChange={({ target }) => setStatus(STATES.find((it) => it === target.value))}
      >
        <option value="">All deliveries</option>
        {STATES.map((it) => (
          <option key={it}>{it}</option>
        ))}
      </select>
      <Problem error={resend.error} />
      <Await query={log}>
        {({ deliveries }) =>
          deliveries.length === 0 ? (
            <p className="text-soft card px-5 py-8 text-center">Nothing was delivered yet.</p>
          ) : (
            <DeliveryLog deliveries={deliveries} onResend={resend.mutate} />
          )
        }
      </Await>
    </Section>
  )
}
