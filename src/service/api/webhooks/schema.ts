// Requests and answers of webhook endpoints, deliveries and the event feed.
import Type, { type Static } from 'typebox'
import { EVENT_NAMES } from '../../../domain/announcements.ts'
import { DELIVERY_STATES } from '../../db/delivery/delivery-log.ts'
import { RETRIES } from '../../db/delivery/webhook-endpoints.ts'
import { Event } from '../openapi/event-payloads.ts'
import { AnyObject, Moment, NamedObject, Nullable, named, published, Url } from '../schema.ts'

const EndpointUrl = Url('An http or https URL on a public address.', { examples: ['https://example.com/hooks/emissary'] })
const Events = Type.Array(published(Type.String(), { enum: ['*', ...EVENT_NAMES] }), {
  minItems: 1,
  maxItems: 100,
  description: '"*" for all events, or event names.',
  examples: [['bot.stopped', 'bot.done']],
})
const Description = Nullable(Type.String({ maxLength: 500 }))
const Retry = Type.Enum([...RETRIES], {
  description: 'Whether an answer outside 2xx is retried: `none` (the default) or `standard`. A missing answer is always retried.',
})

export const NewEndpoint = NamedObject(
  'CreateWebhookEndpointRequest',
  { url: EndpointUrl, events: Events, description: Type.Optional(Description), retry: Type.Optional({ ...Retry, default: 'none' }) },
  { examples: [{ url: 'https://example.com/hooks/emissary', events: ['bot.stopped', 'bot.done'], retry: 'standard' }] },
)

export const EndpointChange = named(
  'UpdateWebhookEndpointRequest',
  Type.Partial(Type.Object({ url: EndpointUrl, events: Events, description: Description, retry: Retry, enabled: Type.Boolean() })),
)

const ENDPOINT = {
  id: Type.String(),
  endpoint_id: Type.String({ description: 'Same as id.' }),
  url: Type.String(),
  description: Nullable(Type.String()),
  events: Type.Array(Type.String()),
  retry: Retry,
  enabled: Type.Boolean(),
  disabled_at: Nullable(Moment),
  disabled_reason: Nullable(Type.String()),
  failing_since: Nullable(
    Type.String({ description: 'The first failure since the last success. After five days of failures the endpoint is disabled.' }),
  ),
  created_at: Moment,
  updated_at: Moment,
}

export const Endpoint = NamedObject('WebhookEndpoint', ENDPOINT)
export type EndpointAnswer = Static<typeof Endpoint>
export const EndpointWithSecret = NamedObject('WebhookEndpointWithSecret', {
  ...ENDPOINT,
  secret: Type.String({ description: 'Shown only in this answer.' }),
})
export const EndpointParams = Type.Object({ endpoint_id: Type.String() })

export const Replay = NamedObject(
  'ReplayEventsRequest',
  { from: Type.String({ description: 'ISO 8601, included.' }), to: Type.String({ description: 'ISO 8601, exclusive.' }) },
  { examples: [{ from: '2026-11-15T09:00:00Z', to: '2026-11-15T10:00:00Z' }] },
)

const Attempt = NamedObject('DeliveryAttempt', {
  number: Type.Integer(),
  at: Moment,
  duration_ms: Type.Integer(),
  http_status: Nullable(Type.Integer()),
  answer_head: Nullable(Type.String({ description: 'The first bytes of the receiver’s answer.' })),
  error: Nullable(Type.String()),
})

export const Delivery = NamedObject('WebhookDelivery', {
  delivery_id: Type.String(),
  endpoint_id: Nullable(Type.String({ description: 'Null if the delivery went to the bot’s callback_url.' })),
  event_id: Type.String(),
  event: Type.String(),
  bot_id: Nullable(Type.String()),
  url: Type.String(),
  status: Type.Enum([...DELIVERY_STATES]),
  error: Nullable(Type.String({ description: 'Why the last attempt, or the delivery, got no answer.' })),
  attempts: Type.Array(Attempt),
  next_attempt_at: Nullable(Moment),
  created_at: Moment,
  finished_at: Nullable(Moment),
})

const Limit = Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 50 }))

export const DeliveryQuery = Type.Object({
  endpoint_id: Type.Optional(Type.String()),
  bot_id: Type.Optional(Type.String()),
  event: Type.Optional(Type.String({ description: 'Lists deliveries of this event only.' })),
  status: Type.Optional(Type.Enum([...DELIVERY_STATES])),
  limit: Limit,
  cursor: Type.Optional(Type.String({ description: 'nextCursor of the previous answer.' })),
})

export const DeliveryParams = Type.Object({ delivery_id: Type.String() })

export const FeedQuery = Type.Object({
  limit: Limit,
  cursor: Type.Optional(Type.String({ description: 'nextCursor of the previous answer. Default: the oldest event that is kept.' })),
})

export const Feed = NamedObject('EventFeed', {
  events: Type.Array(published({ ...AnyObject }, Event), { description: 'The events as webhooks receive them.' }),
  hasNextPage: Type.Boolean(),
  nextCursor: Type.String({ description: 'Pass it as `cursor` to read the next events.' }),
})
