// The webhooks of the description: what this server sends, with which headers, and what it takes for an answer.
import { type Json, refTo } from './components.ts'
import { PAYLOADS } from './event-payloads.ts'

const SUMMARIES: Readonly<Record<string, string>> = {
  'webhook_endpoint.test': 'The test that `testWebhookEndpoint` asks for',
  'webhook_endpoint.disabled': 'An endpoint was disabled because nothing reached it for five days; only in the feed',
}

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
    const summary = SUMMARIES[event] ?? `The event \`${event}\``
    return [event, hook(`on${name.replace(/Event$/, '')}`, summary, name, parameters)]
  })
  const live = hook('onLiveTranscript', 'Live words, to `live_transcription_required.webhook_url`', 'LiveTranscript', [])
  return { ...Object.fromEntries(events), live_transcript: live }
}

function hook(operationId: string, summary: string, schemaName: string, parameters: readonly Json[]): Json {
  const requestBody = { required: true, content: { 'application/json': { schema: refTo(schemaName) } } }
  return { post: { operationId, summary, tags: ['Webhooks'], security: [], parameters, requestBody, responses: ANSWERS } }
}
