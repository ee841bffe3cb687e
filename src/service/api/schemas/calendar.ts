// Calendars on the wire: connections, events, and what is said about their bots.
import Type, { type Static } from 'typebox'
import { AnyObject, Line, Moment, Nullable } from './common.ts'
import { CreateBotBody } from './create-bot.ts'

const { meeting_link: _link, join_at: _time, deduplication_key: _key, ...botFields } = CreateBotBody.properties

/** The fields of create_bot that do not come from the calendar. */
export const BotConfig = Type.Object(
  {
    ...botFields,
    transcription: Type.Optional(
      Type.Union([Type.String(), AnyObject], {
        title: 'a provider id, or an object with one key: the provider id, and its options as value',
        description: 'The same as recording_config.transcript.provider. May stand under a key `provider`, too.',
        examples: ['native', { deepgram: { model: 'nova-3', language: 'en' } }],
      }),
    ),
  },
  { description: 'What its bots are like.', examples: [{ bot_name: 'Note taker', video_required: false }] },
)

const Credential = (description: string) => Line({ minLength: 1, maxLength: 4096, writeOnly: true, description })

const GOOGLE = {
  google_client_id: Credential('Of your OAuth client.'),
  google_client_secret: Credential('Of your OAuth client.'),
  google_refresh_token: Credential('With the scope calendar.readonly.'),
}
const MICROSOFT = {
  microsoft_client_id: Credential('Of your app registration.'),
  microsoft_client_secret: Credential('Of your app registration.'),
  microsoft_refresh_token: Credential('With the scopes Calendars.Read, User.Read and offline_access.'),
}

export const ConnectGoogleBody = Type.Object({ ...GOOGLE, ...BotConfig.properties })
export const ConnectOutlookBody = Type.Object({ ...MICROSOFT, ...BotConfig.properties })

const Provider = Type.String({ description: 'google or outlook', examples: ['google'] })

export const CalendarAnswer = Type.Object({
  id: Type.String(),
  platform_id: Type.String({ description: 'The provider’s own id.' }),
  summary: Type.String(),
  isPrimary: Type.Boolean(),
  timeZone: Type.String(),
  provider: Provider,
  account_id: Type.String(),
})

export const Connected = Type.Object({
  message: Type.String(),
  events_fetched: Type.Integer(),
  calendars_processed: Type.Integer(),
  user_email: Type.String(),
  calendar_id: Nullable(Type.String()),
  platform: Type.String({ examples: ['google_calendar'] }),
  primary_calendar_id: Nullable(Type.String()),
  account_id: Type.String(),
  calendars: Type.Array(CalendarAnswer),
})

export const CalendarList = Type.Object({ total: Type.Integer(), user_id: Type.String(), calendars: Type.Array(CalendarAnswer) })

export const ConnectionList = Type.Object({
  total: Type.Integer(),
  user_id: Type.String(),
  connections: Type.Array(
    Type.Object({
      provider: Provider,
      platform: Type.String(),
      account_id: Type.String(),
      email: Type.String(),
      status: Type.String({ description: 'connected, or revoked when the provider no longer accepts the grant.' }),
      error: Nullable(Type.String({ description: 'What the provider said when the last sync failed.' })),
      connected_at: Moment,
      last_synced_at: Nullable(Moment),
      next_sync_at: Nullable(Moment),
      calendars: Type.Integer(),
      push: Type.Boolean({ description: 'Whether the provider tells us of changes; else the calendar is polled.' }),
    }),
  ),
})

export const ConnectionParams = Type.Object({
  provider: Provider,
  account_id: Type.String({ description: 'The account’s id or its email.' }),
})

export const PurgeQuery = Type.Object({
  purge_events: Type.Optional(Type.Boolean({ default: true, description: 'false keeps the events that have been.' })),
})

export const DisconnectBody = Type.Object(
  {
    provider: Type.Optional(Provider),
    account_id: Type.Optional(Line({ maxLength: 254 })),
    purge_events: Type.Optional(Type.Boolean()),
    ...Type.Partial(Type.Object({ ...GOOGLE, ...MICROSOFT })).properties,
  },
  { description: 'Which account; not needed where only one is connected.', examples: [{ provider: 'google' }] },
)

export const Disconnected = Type.Object({
  disconnected: Type.Boolean(),
  user_id: Type.String(),
  events_deleted: Type.Integer(),
  schedules_cancelled: Type.Integer(),
  message: Type.String(),
})

const EventBot = Type.Object({
  id: Type.String(),
  status: Type.String(),
  scheduled_join_time: Moment,
  bot_username: Type.String(),
  platform: Type.String(),
  meeting_link: Type.String(),
  is_scheduled: Type.Boolean(),
})

const EventAnswer = Type.Object({
  id: Type.String(),
  summary: Type.String(),
  start_time: Moment,
  end_time: Moment,
  is_all_day: Type.Boolean(),
  calendar_id: Type.String(),
  platform: Type.String({ description: 'Of the calendar: google_calendar or outlook_calendar.' }),
  platform_id: Type.String({ description: 'The event’s id at the provider.' }),
  ical_uid: Nullable(Type.String()),
  meeting_platform: Nullable(Type.String({ description: 'Zoom, GMeet, Teams, or another product that the link is known by.' })),
  meeting_url: Nullable(Type.String()),
  created_at: Moment,
  updated_at: Moment,
  is_deleted: Type.Boolean(),
  is_recurring: Type.Boolean({ description: 'The master of a series.' }),
  recurrence_rule: Nullable(Type.String()),
  recurring_enabled: Type.Boolean(),
  is_expanded: Type.Boolean({ description: 'An occurrence of a series.' }),
  master_event_id: Nullable(Type.String()),
  bots: Type.Array(EventBot),
  raw: AnyObject,
})
export type EventAnswer = Static<typeof EventAnswer>

export const EventPage = Type.Object({
  results: Type.Array(EventAnswer),
  has_more: Type.Boolean(),
  next: Nullable(Type.String()),
  previous: Nullable(Type.String()),
})

export const EventQuery = Type.Object({
  time_min: Type.Optional(Type.String({ description: 'ISO 8601. Default: a day ago.' })),
  time_max: Type.Optional(Type.String({ description: 'ISO 8601. Default: in 28 days.' })),
  calendar_id: Type.Optional(Type.String({ maxLength: 1024, description: 'Default: all calendars.' })),
  sync: Type.Optional(Type.Boolean({ description: 'Asks the provider first.' })),
  cleanup_duplicates: Type.Optional(Type.Boolean({ description: 'Shows a meeting that is in several calendars once.' })),
  include_deleted: Type.Optional(Type.Boolean({ description: 'Shows deleted events, too.' })),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 50 })),
  cursor: Type.Optional(Type.String({ description: '`next` or `previous` of a page.' })),
})

export const EventParams = Type.Object({ event_id: Type.String({ description: 'From the list of events.' }) })

export const ScheduleBody = Type.Object({
  bot_config: Type.Optional(BotConfig),
  schedule_all_occurrences: Type.Optional(Type.Boolean({ description: 'Every occurrence of the series from this one on.' })),
  occurrence_limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 52, description: 'Default 52.' })),
  recurring_event: Type.Optional(Type.Boolean({ description: 'Every occurrence, without a limit, as each comes within 90 days.' })),
  occurrence_date: Type.Optional(Type.String({ description: 'ISO 8601: the occurrence that begins then.' })),
})

export const ScheduleAnswer = Type.Object({
  scheduled: Type.Boolean(),
  schedule_id: Type.String(),
  bot_id: Type.String(),
  event_id: Type.String(),
  scheduled_time: Moment,
  is_recurring_occurrence: Type.Boolean(),
  bot_config: AnyObject,
})

export const UnscheduleBody = Type.Object({
  cancel_all_occurrences: Type.Optional(Type.Boolean()),
  from_date: Type.Optional(Type.String({ description: 'ISO 8601: earlier occurrences keep their bots.' })),
})

export const UnscheduleAnswer = Type.Object({
  message: Type.String(),
  unscheduled: Type.Optional(Type.Boolean()),
  event_id: Type.Optional(Type.String()),
  schedules_cancelled: Type.Optional(Type.Integer()),
  bots_deleted: Type.Optional(Type.Integer()),
  bot_id: Type.Optional(Type.String({ description: 'Where the path named a bot.' })),
})

export const ToggleBody = Type.Object({ event_id: Type.String({ maxLength: 128 }), recurring_enabled: Type.Boolean() })

export const ToggleAnswer = Type.Object({
  event_id: Type.String(),
  recurring_enabled: Type.Boolean(),
  recurrence_rule: Type.String(),
  message: Type.String(),
  summary: Type.String(),
  start_time: Moment,
  end_time: Moment,
})

export const AutoScheduleBody = Type.Object({ default_bot_config: Type.Optional(BotConfig) })

export const AutoScheduleAnswer = Type.Object({
  message: Type.String(),
  auto_schedule_enabled: Type.Boolean(),
  default_bot_config: AnyObject,
})

export const AutoScheduleSettings = Type.Object({
  user_id: Type.String(),
  auto_schedule_enabled: Type.Boolean(),
  default_bot_config: AnyObject,
})
