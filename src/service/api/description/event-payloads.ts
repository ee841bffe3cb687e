// The payloads of webhooks: one schema for each event, made from the table of what is told.
import { type Announcement, EVENT_NAMES, type EventName, everyAnnouncement } from '../../../domain/announcements.ts'
import { type Json, refTo } from './components.ts'
import { exampleMessage } from './event-meanings.ts'

const text = (description: string, examples?: readonly unknown[]) => ({ type: 'string', description, ...(examples && { examples }) })
const moment = refTo('Moment')
const number = (description: string) => ({ type: 'number', description })
const oneOf = (values: readonly unknown[]) => (values.length === 1 ? { const: values[0] } : { enum: values })
const object = (properties: Json, optional: readonly string[] = []): Json => ({
  type: 'object',
  required: Object.keys(properties).filter((name) => !optional.includes(name)),
  properties,
})

const attributes = { ...refTo('CustomAttributes'), description: 'The custom_attributes of the bot.' }

/** In every event. */
const ENVELOPE = {
  bot_id: text('The bot that the event is about.'),
  custom_attributes: attributes,
  transcript_id: { type: ['string', 'null'], description: 'Of the bot, or of the transcription run that the event is about.' },
  timestamp: moment,
  event_id: text('The same over retries, resends and replays: drop one that you have seen.'),
}

const mediaState = { type: 'string', enum: ['Success', 'Failed'] }

/** Fields that only these events have. */
const EXTRAS: Readonly<Partial<Record<EventName, Json>>> = {
  'bot.scheduled': { scheduled_join_time: moment },
  'bot.stopped': { failure_reason: { ...refTo('ErrorReason'), description: 'Of a join of Google Meet that failed.' } },
  'audio.processed': { audio_status: mediaState },
  'video.processed': { video_status: mediaState },
  'transcription.processed': { transcript_status: mediaState, provider: text('The speech provider.') },
  'transcription.failed': { transcript_status: mediaState, provider: text('The speech provider.') },
  data_deletion: { deleted_objects: { type: 'integer', description: 'How many stored objects were deleted.' } },
}

/** Of a failed join; the others of EXTRAS are always there. */
const SOMETIMES: readonly string[] = ['failure_reason']

function botEvent(event: EventName, told: readonly Announcement[]): Json {
  const values = <Field extends keyof Announcement>(field: Field) => [...new Set(told.map((it) => it[field]))]
  const has = (field: keyof Announcement) => told.some((it) => it[field] !== undefined)
  const always = (field: keyof Announcement) => told.every((it) => it[field] !== undefined)
  const extra = EXTRAS[event] ?? {}
  const fields = {
    event: { type: 'string', const: event },
    bot_event: { type: 'string', ...oneOf(values('botEvent')), description: 'What happened; for the endings finer than `event`.' },
    ...{ bot_id: ENVELOPE.bot_id, bot_status: { type: 'string', ...oneOf(values('botStatus')) } },
    message: text('One sentence for people.', [exampleMessage(event, told[0]?.botStatus ?? '')]),
    ...(has('statusCode') && {
      status_code: { type: 'integer', ...oneOf(values('statusCode')), description: 'A hint; bot_status says how it ended.' },
    }),
    status: { type: 'string', enum: ['success', 'error'], description: 'Of what comes after the call.' },
    ...extra,
    ...ENVELOPE,
  }
  const optional = [...SOMETIMES, ...(always('statusCode') ? [] : ['status_code']), ...(always('status') ? [] : ['status'])]
  return object(fields, optional)
}

const participant = object({
  ...{ id: text('Of the participant in this meeting.'), name: text('As it is shown.'), full_name: text('The same as name.') },
  ...{ platform: refTo('Platform'), is_host: { type: 'boolean' }, mic_on: { type: 'boolean' }, camera_on: { type: 'boolean' } },
})
const when = object({ relative: number('Seconds since the bot came in.'), absolute: moment })

function participantEvent(event: EventName): Json {
  const action = event.slice(event.indexOf('.') + 1)
  const happening = {
    action: { type: 'string', const: action },
    participant: refTo('EventParticipant'),
    timestamp: refTo('EventMoment'),
    ...(action === 'chat_message' && { data: refTo('EventMessage') }),
  }
  const data = object({ data: object(happening), bot: refTo('EventBot') })
  return object({ event: { type: 'string', const: event }, data, ...ENVELOPE })
}

const ENDPOINT_EVENTS = ['webhook_endpoint.test', 'webhook_endpoint.disabled'] as const

function endpointEvent(event: string): Json {
  const { custom_attributes, timestamp, event_id } = ENVELOPE
  const fields = { endpoint_id: text('The endpoint.'), url: text('Its address.'), message: text('One sentence for people.') }
  return object({ event: { type: 'string', const: event }, ...fields, custom_attributes, timestamp, event_id })
}

const flag = { type: 'boolean' }
const liveTranscript = object({
  bot_id: ENVELOPE.bot_id,
  speakerName: text('`NoSpeaker` where the speaker is unknown.'),
  speakerId: text('Empty where the speaker is unknown.'),
  timestamp: moment,
  transcript: text('The whole utterance so far.'),
  new_text: text('What the message before of this utterance did not have.'),
  words: { type: 'array', items: refTo('Word') },
  ...{ is_final: flag, end_of_turn: flag, word_is_final: flag, custom_attributes: attributes },
})

/** By the event's name; the live transcript has none. */
export const PAYLOADS: ReadonlyMap<string, { readonly name: string; readonly schema: Json }> = new Map(
  [...EVENT_NAMES, ...ENDPOINT_EVENTS].map((event) => [event, { name: schemaNameOf(event), schema: payloadOf(event) }]),
)

export const EVENT_SCHEMAS: Readonly<Record<string, Json>> = {
  EventParticipant: participant,
  EventBot: object({ id: ENVELOPE.bot_id, metadata: attributes }),
  EventMessage: object({ text: text('The message.'), to: text('`everyone`.') }),
  EventMoment: when,
  LiveTranscript: liveTranscript,
  ...Object.fromEntries([...PAYLOADS.values()].map(({ name, schema }) => [name, schema])),
  Event: {
    anyOf: [...PAYLOADS.values()].map(({ name }) => refTo(name)),
    discriminator: {
      propertyName: 'event',
      mapping: Object.fromEntries([...PAYLOADS].map(([event, { name }]) => [event, refTo(name).$ref])),
    },
    description: 'An event as webhooks get it. `event` says which. More events may come: tolerate unknown ones.',
  },
}

function payloadOf(event: EventName | (typeof ENDPOINT_EVENTS)[number]): Json {
  if (event.startsWith('webhook_endpoint.')) return endpointEvent(event)
  const name = event as EventName
  if (name.startsWith('participant_events.')) return participantEvent(name)
  return botEvent(
    name,
    everyAnnouncement().filter((it) => it.event === name),
  )
}

/** `bot.in_waiting_room` is `BotInWaitingRoomEvent`. */
function schemaNameOf(event: string): string {
  const words = event.replace(/^participant_events/, 'participant').split(/[._]/)
  return `${words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('')}Event`
}
