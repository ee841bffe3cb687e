// The webhooks section of the OpenAPI document.
import type { Json } from './components.ts'
import { MEANINGS } from './event-meanings.ts'
import { LiveTranscript, PAYLOADS } from './event-payloads.ts'

const ANSWERS = {
  '2XX': { description: 'Received. The body is ignored.' },
  default: {
    description: 'Not received. Retried if the endpoint has `retry: standard`. A missing answer within 5 s is always retried.',
  },
}

const header = (name: string, description: string, schema: Json = { type: 'string' }) => ({
  name,
  in: 'header',
  required: false,
  description,
  schema,
})

/** Only deliveries to webhook endpoints are signed. Deliveries to a bot's callback_url are not. */
function signatures(prefix: string): readonly Json[] {
  return [
    header(`${prefix}-Signature`, '`sha256=` and the hex HMAC-SHA256 of the body, keyed with the endpoint’s secret.'),
    header(`${prefix}-Timestamp`, 'Time of sending.', { type: 'string', format: 'date-time' }),
    header('webhook-id', 'The event_id (Standard Webhooks).'),
    header('webhook-timestamp', 'Time of sending in seconds since 1970 (Standard Webhooks).'),
    header('webhook-signature', '`v1,` and the signature of Standard Webhooks, which covers id, timestamp and body.'),
  ]
}

export function webhooks(headerPrefix: string): Record<string, Json> {
  const parameters = signatures(headerPrefix)
  const events = [...PAYLOADS].map(([event, { name, schema }]) => {
    return [event, hook({ event, operationId: `on${name.replace(/Event$/, '')}`, schema, parameters })]
  })
  const live = { event: 'live_transcript', operationId: 'onLiveTranscript', schema: LiveTranscript, parameters: [] }
  return { ...Object.fromEntries(events), live_transcript: hook(live) }
}

type Hook = { readonly event: string; readonly operationId: string; readonly schema: Json; readonly parameters: readonly Json[] }

function hook({ event, operationId, schema, parameters }: Hook): Json {
  const description = MEANINGS[event]
  const requestBody = { required: true, content: { 'application/json': { schema } } }
  const about = { operationId, summary: event, ...(description !== undefined && { description }), tags: ['Events'], security: [] }
  return { post: { ...about, parameters, requestBody, responses: ANSWERS } }
}
