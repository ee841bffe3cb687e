// The webhooks of the description: what this server sends, with which headers, and what it takes for an answer.
import { type Json, refTo } from './components.ts'
import { MEANINGS } from './event-meanings.ts'
import { PAYLOADS } from './event-payloads.ts'

const ANSWERS = {
  '2XX': { description: 'Received. The body of the answer is not read.' },
  default: {
    description: 'Not received. Tried again where the endpoint has `retry: standard`; no answer within 5 s is always tried again.',
  },
}

const header = (name: string, description: string, schema: Json = { type: 'string' }) => ({
  name,
  in: 'header',
  required: false,
  description,
  schema,
})

/** Only deliveries to webhook endpoints are signed; those to an address that came with a bot are not. */
function signatures(prefix: string): readonly Json[] {
  return [
    header(`${prefix}-Signature`, '`sha256=` and the hex HMAC-SHA256 of the body, keyed with the endpoint’s secret.'),
    header(`${prefix}-Timestamp`, 'When it was sent.', { type: 'string', format: 'date-time' }),
    header('webhook-id', 'The event_id, as Standard Webhooks has it.'),
    header('webhook-timestamp', 'When it was sent, in seconds since 1970.'),
    header('webhook-signature', '`v1,` and the signature of Standard Webhooks, which covers the time too.'),
  ]
}

/** By the name of the event. */
export function webhooks(headerPrefix: string): Record<string, Json> {
  const parameters = signatures(headerPrefix)
  const events = [...PAYLOADS].map(([event, { name }]) => {
    return [event, hook({ event, operationId: `on${name.replace(/Event$/, '')}`, schemaName: name, parameters })]
  })
  const live = { event: 'live_transcript', operationId: 'onLiveTranscript', schemaName: 'LiveTranscript', parameters: [] }
  return { ...Object.fromEntries(events), live_transcript: hook(live) }
}

type Hook = { readonly event: string; readonly operationId: string; readonly schemaName: string; readonly parameters: readonly Json[] }

function hook({ event, operationId, schemaName, parameters }: Hook): Json {
  const description = MEANINGS[event]
  const requestBody = { required: true, content: { 'application/json': { schema: refTo(schemaName) } } }
  const about = { operationId, summary: event, ...(description !== undefined && { description }), tags: ['Events'], security: [] }
  return { post: { ...about, parameters, requestBody, responses: ANSWERS } }
}
