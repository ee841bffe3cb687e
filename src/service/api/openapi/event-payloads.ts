// Schemas of webhook payloads, one per event, made from the table of announcements.
import { type Announcement, EVENT_NAMES, type EventName, everyAnnouncement } from '../../../domain/announcements.ts'
import { Attributes, ErrorReason, Moment, named, Platform } from '../schema.ts'
import { Word } from '../transcripts/schema.ts'
import { type Json, refTo } from './components.ts'
import { exampleMessage } from './event-meanings.ts'

const text = (description: string, examples?: readonly unknown[]) => ({ type: 'string', description, ...(examples && { examples }) })
const number = (description: string) => ({ type: 'number', description })
const oneOf = (values: readonly unknown[]) => (values.length === 1 ? { const: values[0] } : { enum: values })
const object = (properties: Json, optional: readonly string[] = []): Json => ({
  type: 'object',
  required: Object.keys(properties).filter((name) => !optional.includes(name)),
  properties,
})

const attributes = { ...Attributes, description: 'The custom_attributes of the bot.' }

/** Fields of every event. */
const ENVELOPE = {
  bot_id: text('The bot that the event is about.'),
  custom_attributes: attributes,
  transcript_id: { type: ['string', 'null'], description: 'Id of the bot’s transcript, or of the transcription run of the event.' },
  timestamp: Moment,
  event_id: text('Same for retries, resends and replays. Ignore an event_id that you have processed.'),
}

const mediaState = { type: 'string', enum: ['Success', 'Failed'] }

/** Additional fields by event. */
const EXTRAS: Readonly<Partial<Record<EventName, Json>>> = {
  'bot.scheduled': { scheduled_join_time: Moment },
  'bot.stopped': { failure_reason: { ...ErrorReason, description: 'Only after a failed Google Meet join.' } },
  'audio.processed': { audio_status: mediaState },
  'video.processed': { video_status: mediaState },
  'transcription.processed': { transcript_status: mediaState, provider: text('The speech provider.') },
  'transcription.failed': { transcript_status: mediaState, provider: text('The speech provider.') },
  data_deletion: { deleted_objects: { type: 'integer', description: 'Number of deleted objects.' } },
}

/** Only after a failed join. The other fields of EXTRAS are always set. */
const SOMETIMES: readonly string[] = ['failure_reason']

function botEvent(event: EventName, announcements: readonly Announcement[]): Json {
  const values = <Field extends keyof Announcement>(field: Field) => [...new Set(announcements.map((it) => it[field]))]
  const has = (field: keyof Announcement) => announcements.some((it) => it[field] !== undefined)
  const always = (field: keyof Announcement) => announcements.every((it) => it[field] !== undefined)
  const extra = EXTRAS[event] ?? {}
  const fields = {
    event: { type: 'string', const: event },
    bot_event: { type: 'string', ...oneOf(values('botEvent')), description: 'More specific than `event` when a bot ends.' },
    bot_status: { type: 'string', ...oneOf(values('botStatus')) },
    message: text('One human-readable sentence.', [exampleMessage(event, announcements[0]?.botStatus ?? '')]),
    ...(has('statusCode') && {
      status_code: { type: 'integer', ...oneOf(values('statusCode')), description: 'A hint only: bot_status says how the bot ended.' },
    }),
    status: { type: 'string', enum: ['success', 'error'], description: 'Only for post-call events.' },
    ...extra,
    ...ENVELOPE,
  }
  const optional = [...SOMETIMES, ...(always('statusCode') ? [] : ['status_code']), ...(always('status') ? [] : ['status'])]
  return object(fields, optional)
}

const Participant = named(
  'EventParticipant',
  object({
    id: text('Participant id within this meeting.'),
    name: text('Display name.'),
    full_name: text('Same as name.'),
    platform: Platform,
    is_host: { type: 'boolean' },
    mic_on: { type: 'boolean' },
    camera_on: { type: 'boolean' },
  }),
)
const When = named('EventMoment', object({ relative: number('Seconds since the bot was admitted.'), absolute: Moment }))
const EventBot = named('EventBot', object({ id: ENVELOPE.bot_id, metadata: attributes }))
const Message = named('EventMessage', object({ text: text('The message.'), to: text('`everyone`.') }))

function participantEvent(event: EventName): Json {
  const action = event.slice(event.indexOf('.') + 1)
  const happening = {
    action: { type: 'string', const: action },
    participant: Participant,
    timestamp: When,
    ...(action === 'chat_message' && { data: Message }),
  }
  const name = schemaNameOf(event)
  const data = named(`${name}Data`, object({ data: named(`${name}DataData`, object(happening)), bot: EventBot }))
  return object({ event: { type: 'string', const: event }, data, ...ENVELOPE })
}

const ENDPOINT_EVENTS = ['webhook_endpoint.test', 'webhook_endpoint.disabled'] as const

function endpointEvent(event: string): Json {
  const { custom_attributes, timestamp, event_id } = ENVELOPE
  const fields = {
    endpoint_id: text('Id of the endpoint.'),
    url: text('URL of the endpoint.'),
    message: text('One human-readable sentence.'),
  }
  return object({ event: { type: 'string', const: event }, ...fields, custom_attributes, timestamp, event_id })
}

const flag = { type: 'boolean' }
export const LiveTranscript = named(
  'LiveTranscript',
  object({
    bot_id: ENVELOPE.bot_id,
    speakerName: text('`NoSpeaker` if the speaker is unknown.'),
    speakerId: text('Empty if the speaker is unknown.'),
    timestamp: Moment,
    transcript: text('The whole utterance so far.'),
    new_text: text('The text that was added since the previous message of this utterance.'),
    words: { type: 'array', items: Word },
    is_final: flag,
    end_of_turn: flag,
    word_is_final: flag,
    custom_attributes: attributes,
  }),
)

/** By event name. The live transcript has no event name. */
export const PAYLOADS: ReadonlyMap<string, { readonly name: string; readonly schema: Json }> = new Map(
  [...EVENT_NAMES, ...ENDPOINT_EVENTS].map((event) => {
    const name = schemaNameOf(event)
    return [event, { name, schema: named(name, payloadOf(event)) }]
  }),
)

export const Event = named('Event', {
  anyOf: [...PAYLOADS.values()].map(({ schema }) => schema),
  discriminator: {
    propertyName: 'event',
    mapping: Object.fromEntries([...PAYLOADS].map(([event, { name }]) => [event, refTo(name).$ref])),
  },
  description: 'The payload of a webhook; `event` is its type. More events may be added: tolerate unknown ones.',
})

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
