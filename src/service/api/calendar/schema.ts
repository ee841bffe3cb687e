// Calendar requests and answers: connections, events and the bots of events.
import Type, { type Static } from 'typebox'
import { CALENDAR_PROVIDERS } from '../../../domain/calendar.ts'
import { CreateBotBody } from '../bots/create/schema.ts'
import { AnyObject, BotState, Line, Moment, NamedObject, Nullable, Platform, published } from '../schema.ts'
import { CalendarTranscription, ProviderOrName } from '../speech-providers/schema.ts'

const { meeting_link: _link, join_at: _time, deduplication_key: _key, ...botFields } = CreateBotBody.properties

/** The fields of create_bot, without those that the calendar event sets. */
export const BotConfig = NamedObject(
  'BotConfig',
  {
    ...botFields,
    transcription: Type.Optional(
      published(
        ProviderOrName({ description: 'Same as recording_config.transcript.provider. May also be an object with the key `provider`.' }),
        CalendarTranscription,
      ),
    ),
  },
  { description: 'Options of the bots, as in create_bot.', examples: [{ bot_name: 'Note taker', video_required: false }] },
)

const Credential = (description: string) => Line({ minLength: 1, maxLength: 4096, writeOnly: true, description })

const GOOGLE = {
  google_client_id: Credential('From your Google OAuth client.'),
  google_client_secret: Credential('From your Google OAuth client.'),
  google_refresh_token: Credential('A refresh token with the scope calendar.readonly.'),
}
const MICROSOFT = {
  microsoft_client_id: Credential('From your Microsoft app registration.'),
  microsoft_client_secret: Credential('From your Microsoft app registration.'),
  microsoft_refresh_token: Credential('A refresh token with the scopes Calendars.Read, User.Read and offline_access.'),
}

export const ConnectGoogleBody = NamedObject('ConnectGoogleCalendarRequest', { ...GOOGLE, ...BotConfig.properties })
export const ConnectOutlookBody = NamedObject('ConnectOutlookCalendarRequest', { ...MICROSOFT, ...BotConfig.properties })

const Provider = Type.String({ description: 'google or outlook', examples: ['google'] })
const ProviderName = published(Type.String({ examples: ['google'] }), {
  enum: Object.values(CALENDAR_PROVIDERS).flatMap(({ names }) => names),
  description: '`google_calendar` is an alias of `google`; `outlook_calendar` and `microsoft` are aliases of `outlook`.',
})

export const CalendarAnswer = NamedObject('Calendar', {
  id: Type.String(),
  platform_id: Type.String({ description: 'The calendar’s id at the provider.' }),
  summary: Type.String(),
  isPrimary: Type.Boolean(),
  timeZone: Type.String(),
  provider: Provider,
  account_id: Type.String(),
})

export const Connected = NamedObject('CalendarConnected', {
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

export const CalendarList = NamedObject('CalendarList', {
  total: Type.Integer(),
  user_id: Type.String(),
  calendars: Type.Array(CalendarAnswer),
})

export const ConnectionList = NamedObject('CalendarConnectionList', {
  total: Type.Integer(),
  user_id: Type.String(),
  connections: Type.Array(
    NamedObject('CalendarConnection', {
      provider: Provider,
      platform: Type.String({ examples: ['google_calendar'] }),
      account_id: Type.String(),
      email: Type.String(),
      status: Type.String({
        description: '`connected`, or `revoked` once the provider rejects the refresh token.',
        examples: ['connected'],
      }),
      error: Nullable(Type.String({ description: 'The provider’s error, if the last sync failed.' })),
      connected_at: Moment,
      last_synced_at: Nullable(Moment),
      next_sync_at: Nullable(Moment),
      calendars: Type.Integer(),
      push: Type.Boolean({ description: 'true: the provider pushes changes. false: the calendar is polled.' }),
    }),
  ),
})

export const ConnectionParams = Type.Object({
  provider: ProviderName,
  account_id: Type.String({ description: 'The account’s id or its email.' }),
})

export const PurgeQuery = Type.Object({
  purge_events: Type.Optional(Type.Boolean({ default: true, description: 'false keeps past events.' })),
})

export const DisconnectBody = NamedObject(
  'DisconnectCalendarRequest',
  {
    provider: Type.Optional(ProviderName),
    account_id: Type.Optional(Line({ maxLength: 254 })),
    purge_events: Type.Optional(Type.Boolean()),
    ...Type.Partial(Type.Object({ ...GOOGLE, ...MICROSOFT })).properties,
  },
  { description: 'Names the account. Optional if only one is connected.', examples: [{ provider: 'google' }] },
)

export const Disconnected = NamedObject('CalendarDisconnected', {
  disconnected: Type.Boolean(),
  user_id: Type.String(),
  events_deleted: Type.Integer(),
  schedules_cancelled: Type.Integer(),
  message: Type.String(),
})

const EventBot = NamedObject('CalendarEventBot', {
  id: Type.String(),
  status: BotState,
  scheduled_join_time: Moment,
  bot_username: Type.String(),
  platform: Platform,
  meeting_link: Type.String(),
  is_scheduled: Type.Boolean(),
})

const EventAnswer = NamedObject('CalendarEvent', {
  id: Type.String(),
  summary: Type.String(),
  start_time: Moment,
  end_time: Moment,
  is_all_day: Type.Boolean(),
  calendar_id: Type.String(),
  platform: Type.String({ description: 'The calendar provider: google_calendar or outlook_calendar.', examples: ['google_calendar'] }),
  platform_id: Type.String({ description: 'The event’s id at the provider.' }),
  ical_uid: Nullable(Type.String()),
  meeting_platform: Nullable(Type.String({ description: 'Zoom, GMeet, Teams, or another conferencing product.' })),
  meeting_url: Nullable(Type.String()),
  created_at: Moment,
  updated_at: Moment,
  is_deleted: Type.Boolean(),
  is_recurring: Type.Boolean({ description: 'true for the master event of a series.' }),
  recurrence_rule: Nullable(Type.String()),
  recurring_enabled: Type.Boolean(),
  is_expanded: Type.Boolean({ description: 'true for an occurrence of a series.' }),
  master_event_id: Nullable(Type.String()),
  bots: Type.Array(EventBot),
  raw: AnyObject,
})
export type EventAnswer = Static<typeof EventAnswer>

export const EventPage = NamedObject('CalendarEventPage', {
  results: Type.Array(EventAnswer),
  has_more: Type.Boolean(),
  next: Nullable(Type.String()),
  previous: Nullable(Type.String()),
})

export const EventQuery = Type.Object({
  time_min: Type.Optional(Type.String({ description: 'ISO 8601. Default: one day ago.' })),
  time_max: Type.Optional(Type.String({ description: 'ISO 8601. Default: in 28 days.' })),
  calendar_id: Type.Optional(Type.String({ maxLength: 1024, description: 'Default: all calendars.' })),
  sync: Type.Optional(Type.Boolean({ description: 'Syncs with the provider before answering.' })),
  cleanup_duplicates: Type.Optional(Type.Boolean({ description: 'Lists a meeting once if it is in several calendars.' })),
  include_deleted: Type.Optional(Type.Boolean({ description: 'Includes deleted events.' })),
  include_masters: Type.Optional(
    Type.Boolean({ description: 'Includes the master events of series. Without them each meeting is listed once, by its occurrences.' }),
  ),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 50 })),
  cursor: Type.Optional(Type.String({ description: '`next` or `previous` of an earlier answer.' })),
})

export const EventParams = Type.Object({ event_id: Type.String({ description: 'The `id` from the list of events.' }) })

export const ScheduleBody = NamedObject('ScheduleEventRequest', {
  bot_config: Type.Optional(BotConfig),
  schedule_all_occurrences: Type.Optional(Type.Boolean({ description: 'Schedules this and all later occurrences of the series.' })),
  occurrence_limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 52, description: 'Maximum number of occurrences. Default 52.' })),
  recurring_event: Type.Optional(
    Type.Boolean({ description: 'Schedules every occurrence, without a limit, once it is at most 90 days ahead.' }),
  ),
  occurrence_date: Type.Optional(Type.String({ description: 'ISO 8601: selects the occurrence that starts then.' })),
})

export const ScheduleAnswer = NamedObject('EventScheduled', {
  scheduled: Type.Boolean(),
  schedule_id: Type.String(),
  bot_id: Type.String(),
  event_id: Type.String(),
  scheduled_time: Moment,
  is_recurring_occurrence: Type.Boolean(),
  bot_config: { ...AnyObject, description: 'The options in effect: those of the request, over automatic scheduling and the calendar.' },
})

export const UnscheduleBody = NamedObject('UnscheduleEventRequest', {
  cancel_all_occurrences: Type.Optional(Type.Boolean()),
  from_date: Type.Optional(Type.String({ description: 'ISO 8601. Occurrences before it keep their bots.' })),
})

export const UnscheduleAnswer = NamedObject('EventUnscheduled', {
  message: Type.String(),
  unscheduled: Type.Optional(Type.Boolean()),
  event_id: Type.Optional(Type.String()),
  schedules_cancelled: Type.Optional(Type.Integer()),
  bots_deleted: Type.Optional(Type.Integer()),
  bot_id: Type.Optional(Type.String({ description: 'Set if the path contained a bot id.' })),
})

export const ToggleBody = NamedObject('ToggleRecurrenceRequest', {
  event_id: Type.String({ maxLength: 128 }),
  recurring_enabled: Type.Boolean(),
})

export const ToggleAnswer = NamedObject('RecurrenceToggled', {
  event_id: Type.String(),
  recurring_enabled: Type.Boolean(),
  recurrence_rule: Type.String(),
  message: Type.String(),
  summary: Type.String(),
  start_time: Moment,
  end_time: Moment,
})

export const AutoScheduleBody = NamedObject('AutoScheduleRequest', { default_bot_config: Type.Optional(BotConfig) })

export const AutoScheduleAnswer = NamedObject('AutoScheduleChanged', {
  message: Type.String(),
  auto_schedule_enabled: Type.Boolean(),
  default_bot_config: AnyObject,
})

export const AutoScheduleSettings = NamedObject('AutoScheduleSettings', {
  user_id: Type.String(),
  auto_schedule_enabled: Type.Boolean(),
  default_bot_config: AnyObject,
})
