// Answers of bot reads: status, list, detail, summary and commands.
import Type from 'typebox'
import { LOSSES } from '../../../domain/absences.ts'
import { ATTRIBUTIONS } from '../../../domain/meeting.ts'
import {
  AnyObject,
  Attributes,
  BotState,
  ErrorReason,
  Moment,
  NamedObject,
  Nullable,
  PLATFORM_WIRE_NAMES,
  Platform,
  published,
} from '../schema.ts'

export const BotStatus = NamedObject(
  'BotStatus',
  { bot_id: Type.String(), status: BotState, custom_attributes: Attributes },
  { examples: [{ bot_id: 'bot_01kabcdefghjkmnpqrstvwxyz0', status: 'InMeeting', custom_attributes: { tag: 'sales' } }] },
)

const BotRecord = NamedObject('BotRecord', {
  BotID: Type.String(),
  Status: BotState,
  BotUsername: Type.String(),
  Platform,
  MeetingLink: Type.String(),
  CreatedAt: Moment,
  ScheduledJoinTime: Nullable(Moment),
  bot_id: Type.String(),
  status: BotState,
  bot_name: Type.String(),
  platform: Platform,
  meeting_url: Type.String(),
  created_at: Moment,
  custom_attributes: Attributes,
})

export const BotList = NamedObject('BotList', {
  bots: Type.Array(BotRecord),
  hasNextPage: Type.Boolean(),
  nextCursor: Nullable(Type.String()),
})

export const ListQuery = Type.Object({
  status: Type.Optional(Type.String({ description: 'Case-insensitive.' })),
  from: Type.Optional(Type.String({ description: 'YYYY-MM-DD in UTC, inclusive.' })),
  to: Type.Optional(Type.String({ description: 'YYYY-MM-DD in UTC, inclusive.' })),
  platform: Type.Optional(published(Type.String({ description: 'Case-sensitive.' }), { enum: PLATFORM_WIRE_NAMES })),
  search: Type.Optional(
    Type.String({ maxLength: 200, description: 'Part of the bot’s name or meeting link, case-insensitive; or the bot’s id.' }),
  ),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 50 })),
  cursor: Type.Optional(Type.String({ description: 'nextCursor of the previous answer.' })),
  'custom_attr[tag]': Type.Optional(
    Type.String({
      description:
        'Filters by an attribute: custom_attr[name]=value. Up to 10 filters are combined with AND. The value 3 matches 3 and "3".',
    }),
  ),
})

const TimelineEntry = NamedObject('TimelineEntry', { status: Type.Boolean(), timestamp: Moment, message: Type.String() })

const Evidence = NamedObject('Evidence', {
  timestamp: Moment,
  step: Type.String(),
  message: Type.String(),
  code: Nullable(Type.String({ description: 'Stable code, for example chat_failed. Null if `step` is enough.' })),
  page_text: Nullable(Type.String()),
  page_log: Type.Array(Type.String(), { description: 'Errors and console lines of the page in the last minute.' }),
  screenshot: Nullable(Type.String()),
})

const MediaState = Nullable(
  Type.Enum(['Pending', 'Processing', 'Success', 'Failed'], {
    description: 'Null before the bot starts, and if it was not requested or nothing was recorded.',
  }),
)

const BotDetails = NamedObject('BotDetails', {
  BotID: Type.String(),
  Status: BotState,
  ErrorReason: Nullable(ErrorReason),
  Message: Type.String(),
  Platform,
  BotUsername: Type.String(),
  MeetingLink: Type.String(),
  CreatedAt: Moment,
  ScheduledJoinTime: Nullable(Moment),
  StartTime: Nullable(Moment),
  EndTime: Nullable(Moment),
  Duration: Nullable(Type.Number({ description: 'Seconds that the bot was in the meeting.' })),
  StatusTimeline: Type.Record(Type.String(), TimelineEntry),
  Queue: Nullable(
    NamedObject(
      'QueuePlace',
      {
        position: Type.Integer({ minimum: 1, description: '1: the bot gets the next free seat.' }),
        expected_wait_seconds: Nullable(Type.Integer({ description: 'Estimated from recently freed seats; null if there were none.' })),
      },
      { description: 'Set while the bot waits for a free seat.' },
    ),
  ),
  Absences: Type.Array(
    NamedObject('Absence', {
      from: Moment,
      to: Nullable(Moment),
      reason: Type.String({ description: `One of ${Object.keys(LOSSES).join(', ')}; more may be added.` }),
    }),
    { description: 'Times at which the bot had lost the meeting. `to` is null until it is back. Absences are not billed.' },
  ),
  RequestPayload: AnyObject,
  custom_attributes: Attributes,
  transcript_id: Nullable(Type.String()),
  TranscriptStatus: MediaState,
  AudioStatus: MediaState,
  VideoStatus: MediaState,
  Media: Nullable(
    NamedObject(
      'MeetingMedia',
      {
        participants: Type.Array(
          NamedObject('MediaParticipant', {
            id: Type.String(),
            name: Type.String(),
            attribution: Type.Enum([...new Set(Object.values(ATTRIBUTIONS))], {
              description:
                'By what the audio of the participant is attributed: the sources that packets name (csrc), the platform’s tracks and messages about speakers, or captions.',
            }),
            named_by: Nullable(
              Type.Enum(Object.keys(ATTRIBUTIONS), {
                description:
                  'What names the participant: the platform’s list of streams, its records of who speaks, the tiles of the page, a track of their own, the platform’s messages about speakers, or captions. contradicted: sources name different owners, so the audio has none.',
              }),
            ),
          }),
        ),
      },
      { description: 'Null until the bot is admitted, and after deletion.' },
    ),
  ),
  participant_events: Nullable(Type.String({ description: 'Signed link to the list of join, leave, microphone and camera events.' })),
  caption_file: Nullable(Type.String()),
  delivered: NamedObject('DeliveredAmounts', {
    audio_seconds: Type.Number(),
    video_seconds: Type.Number(),
    segments: Type.Integer({ description: 'Number of per-participant files.' }),
    words: Type.Integer(),
    heard_seconds: Type.Number({ description: 'Seconds in which someone spoke.' }),
  }),
  Evidence: Type.Array(Evidence, { description: 'For each failure: the step, the message and what the page showed.' }),
})

export const BotDetail = NamedObject('BotDetail', { bot_details: BotDetails })

export const BotSummary = NamedObject('BotSummary', {
  bot_details: BotDetails,
  summary: Nullable(Type.String({ description: 'Null until there is a transcript.' })),
  summary_source: Nullable(
    Type.Enum(['model', 'extractive'], {
      description: 'model: written by the configured model. extractive: key sentences of the transcript.',
    }),
  ),
  talk_time: Type.Array(NamedObject('TalkTime', { speaker: Type.String(), seconds: Type.Number(), share: Type.Number() }), {
    description: 'Longest first. `share` is the fraction of all talk time, 0 to 1.',
  }),
})

export const Acknowledgement = NamedObject('Acknowledgement', { message: Type.String(), bot_id: Type.String() })

export const Deletion = NamedObject('Deletion', { message: Type.String(), bot_id: Type.String(), deleted_objects: Type.Integer() })

export const CommandAccepted = NamedObject('CommandAccepted', {
  status: Type.Literal('accepted'),
  bot_id: Type.String(),
  command: Type.String(),
  command_id: Type.String({ description: 'The same for each request with the same Idempotency-Key.' }),
})
