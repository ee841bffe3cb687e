// Adds the rules that code checks beyond the schemas to the OpenAPI document: ranges, enums and open lists of values.
import { EVENT_NAMES } from '../../../domain/announcements.ts'
import { LEAVE_DEFAULTS, leaveRanges, ONLY_BOTS_DEFAULTS, ONLY_BOTS_RANGES } from '../../../domain/automatic-leave.ts'
import { CALENDAR_PROVIDERS } from '../../../domain/calendar.ts'
import { ERROR_REASONS } from '../../../domain/errors.ts'
import { STATUSES } from '../../../domain/lifecycle.ts'
import { PLATFORM_NAMES, PLATFORMS, type Range } from '../../../domain/platforms.ts'
import { SPEECH_PROVIDERS, VENDORS } from '../../../domain/speech-providers.ts'
import { PROVIDERS as PROVIDER_ALIASES } from '../aliases.ts'
import { type Json, refTo } from './components.ts'

const enumOf = (values: readonly string[]) => ({ type: 'string', enum: [...values] })

/** Answers may contain values of later versions, so the list is not published as a closed enum. */
const openList = (values: readonly string[], description: string) => ({
  anyOf: [enumOf(values), { type: 'string' }],
  description: `${description} More values may be added: tolerate unknown ones.`,
})

const PLATFORM_WIRE_NAMES = PLATFORM_NAMES.map((name) => PLATFORMS[name].wireName)
const PROVIDER_NAMES = [...Object.keys(SPEECH_PROVIDERS), ...PROVIDER_ALIASES.keys()]
const CALENDAR_NAMES = Object.values(CALENDAR_PROVIDERS).flatMap(({ names }) => names)
const PARTICIPANT_EVENTS = EVENT_NAMES.filter((name) => name.startsWith('participant_events.'))

const aliasNote = [...PROVIDER_ALIASES].map(([alias, name]) => `\`${alias}\` is an alias of \`${name}\``).join(', ')

const optionsByProvider = (names: readonly string[]) => ({
  type: 'object',
  properties: Object.fromEntries(names.map((name) => [name, refTo('TranscriptionOptions')])),
})

/** `Recording` is only in timelines and events. This service writes `Failed` and `Error`, where others write them in upper case. */
const SPECIFIED_STATUSES = [...STATUSES, 'Recording', 'FAILED', 'ERROR']
const BOT_STATE =
  'The status of a bot. `Recording` is only in the timeline and in events. Compare without regard to case: `FAILED` and `ERROR` mean `Failed` and `Error`.'

/** Published schemas that no request is validated with. */
export const LISTS: Readonly<Record<string, Json>> = {
  BotState: openList(SPECIFIED_STATUSES, BOT_STATE),
  Platform: openList(PLATFORM_WIRE_NAMES, 'The platform of a meeting.'),
  ErrorReason: openList(ERROR_REASONS, 'Why a bot failed.'),
  TranscriptionProviderName: { ...enumOf(PROVIDER_NAMES), description: `A speech provider. ${aliasNote}.` },
  TranscriptionOptions: {
    type: 'object',
    additionalProperties: true,
    properties: { model: { type: 'string' }, language: { type: 'string' } },
    description: 'Options of the provider, with the provider’s own names. Every vendor accepts `model` and `language`.',
  },
  TranscriptionByProvider: {
    ...optionsByProvider(PROVIDER_NAMES),
    additionalProperties: false,
    maxProperties: 1,
    description: 'One key: the provider’s name, and its options as value.',
    examples: [{ deepgram: { model: 'nova-3', language: 'en' } }],
  },
  TranscriptionProvider: {
    anyOf: [refTo('TranscriptionProviderName'), { ...refTo('TranscriptionByProvider'), minProperties: 1, maxProperties: 1 }],
    description: 'A provider’s name, or an object with one key: the name, and its options as value.',
    examples: ['native', { deepgram: { model: 'nova-3', language: 'en' } }],
  },
}

/** Calendar requests accept a provider as in create_bot, or under the key `provider`. */
const CALENDAR_TRANSCRIPTION = {
  anyOf: [
    refTo('TranscriptionProvider'),
    { type: 'object', required: ['provider'], properties: { provider: refTo('TranscriptionProvider') }, additionalProperties: false },
  ],
}

const RAW_STREAM = {
  type: 'object',
  required: ['participant_id', 'participant_name', 'start_offset', 'answer'],
  properties: {
    participant_id: { type: 'string' },
    participant_name: { type: 'string' },
    start_offset: { type: 'number', description: 'Seconds after the start of the recording.' },
    answer: { description: 'The provider’s answer, unchanged.', examples: [{ results: [] }] },
  },
}

export const TRANSCRIPTS: Readonly<Record<string, Json>> = {
  CalendarTranscription: CALENDAR_TRANSCRIPTION,
  RawStream: RAW_STREAM,
  Transcript: { type: 'array', items: refTo('TranscriptSegment'), description: 'Sorted by start time.' },
  RawTranscript: { type: 'array', items: refTo('RawStream'), description: 'The provider’s raw answers, one entry per stream.' },
}

const widest = (rule: Exclude<keyof ReturnType<typeof leaveRanges>, 'onlyBots'>) => {
  const ranges: readonly Range[] = PLATFORM_NAMES.map((platform) => leaveRanges(platform)[rule])
  const fallback = LEAVE_DEFAULTS[rule]
  return {
    minimum: Math.min(...ranges.map(({ min }) => min)),
    maximum: Math.max(...ranges.map(({ max }) => max)),
    ...(fallback !== null && { default: fallback }),
  }
}

const within = (rule: keyof typeof ONLY_BOTS_RANGES) => ({
  minimum: ONLY_BOTS_RANGES[rule].min,
  maximum: ONLY_BOTS_RANGES[rule].max,
  default: ONLY_BOTS_DEFAULTS[rule],
})

/** Defaults of create_bot. */
const DEFAULTS = {
  bot_name: { default: 'Emissary' },
  ...{ audio_required: { default: true }, video_required: { default: true } },
  ...{ audio_separate_streams: { default: true }, video_separate_streams: { default: true } },
}

const provider = { provider: refTo('TranscriptionProvider') }
const transcription = { transcription: refTo('CalendarTranscription') }
const calendarProvider = {
  provider: {
    ...enumOf(CALENDAR_NAMES),
    description: '`google_calendar` is an alias of `google`; `outlook_calendar` and `microsoft` are aliases of `outlook`.',
  },
}
const state = refTo('BotState')
const platform = refTo('Platform')

/** By schema and field: properties to add to the field, or a reference that replaces it. */
export const REFINEMENTS: Readonly<Record<string, Readonly<Record<string, Json>>>> = {
  AutomaticLeave: {
    waiting_room_timeout: widest('waitingRoomSeconds'),
    no_one_joined_timeout: widest('nobodyJoinedSeconds'),
    everyone_left_timeout: widest('everyoneLeftSeconds'),
    voice_inactivity_timeout: widest('silenceSeconds'),
    in_call_recording_timeout: widest('longestCallSeconds'),
    recording_permission_denied_timeout: widest('recordingPermissionSeconds'),
  },
  BotDetection: { activate_after: within('activateAfterSeconds'), timeout: within('timeoutSeconds') },
  RealtimeEndpoint: { events: { items: enumOf(PARTICIPANT_EVENTS) } },
  TranscriptConfig: provider,
  TranscribeRequest: provider,
  CreateBotRequest: DEFAULTS,
  RecordingConfig: { video_layout: { default: 'grid_view' } },
  Retention: { hours: { default: 720 } },
  BotConfig: { ...DEFAULTS, ...transcription },
  ConnectGoogleCalendarRequest: transcription,
  ConnectOutlookCalendarRequest: transcription,
  DisconnectCalendarRequest: calendarProvider,
  CreateWebhookEndpointRequest: { events: { items: enumOf(['*', ...EVENT_NAMES]) }, retry: { default: 'none' } },
  UpdateWebhookEndpointRequest: { events: { items: enumOf(['*', ...EVENT_NAMES]) } },
  CreatedBot: { status: { anyOf: [enumOf(['Active', 'Scheduled']), state] } },
  BotStatus: { status: state },
  BotRecord: { Status: state, status: state, Platform: platform, platform },
  BotDetails: { Status: state, Platform: platform, ErrorReason: { anyOf: [refTo('ErrorReason'), { type: 'null' }] } },
  ScheduledBot: { status: state, platform },
  CalendarEventBot: { status: state, platform },
  CalendarEvent: { platform: { examples: ['google_calendar'] } },
  CalendarConnection: { platform: { examples: ['google_calendar'] }, status: { examples: ['connected'] } },
  EventFeed: { events: { items: refTo('Event') } },
  SpeechVendor: { vendor: enumOf(VENDORS), providers: { items: enumOf(Object.keys(SPEECH_PROVIDERS)) } },
}

/** By operation and parameter. */
export const PARAMETERS: Readonly<Record<string, Readonly<Record<string, Json>>>> = {
  createBot: { 'idempotency-key': { minLength: 1, maxLength: 255 } },
  listBots: { platform: enumOf(PLATFORM_WIRE_NAMES) },
  disconnectCalendarAccount: calendarProvider,
  setSpeechProviderKey: { vendor: enumOf(VENDORS) },
  deleteSpeechProviderKey: { vendor: enumOf(VENDORS) },
}
