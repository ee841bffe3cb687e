// The names of the published schemas: one row for each object that a client's code should have a type for.
import type { TSchema } from 'typebox'
import { DomainAnswer, LoginAnswer } from '../present-logins.ts'
import { Settings, Usage } from '../routes/account.ts'
import { Health } from '../routes/health.ts'
import { Workspace } from '../routes/operator.ts'
import { RescheduleBody, Rescheduled, ScheduledBot } from '../routes/scheduled-bots.ts'
import { NewKey, VendorAnswer } from '../routes/speech-providers.ts'
import * as bots from '../schemas/bots.ts'
import * as calendar from '../schemas/calendar.ts'
import { Attributes, ErrorAnswer, Moment, NotReady } from '../schemas/common.ts'
import { AutomaticLeave, CreateBotBody, Creation, Replay } from '../schemas/create-bot.ts'
import * as meetings from '../schemas/meetings.ts'
import * as recordings from '../schemas/recordings.ts'
import { NewRoom, Room } from '../schemas/rooms.ts'
import * as transcripts from '../schemas/transcripts.ts'
import * as webhooks from '../schemas/webhooks.ts'

const { properties: creation } = CreateBotBody
const { properties: detail } = bots.BotDetail.properties.bot_details
const recording = creation.recording_config.properties
const { items: segment } = transcripts.Transcript
const { items: audioOwner } = recordings.AudioStreams.properties.participants
const { items: videoOwner } = recordings.VideoStreams.properties.participants
const { items: screenOwner } = recordings.VideoStreams.properties.screenshares

export const NAMED: Readonly<Record<string, TSchema>> = {
  Moment,
  CustomAttributes: Attributes,
  Error: ErrorAnswer,
  NotReady,

  CreateBotRequest: CreateBotBody,
  AutomaticLeave,
  BotDetection: AutomaticLeave.properties.bot_detection.properties.using_participant_names,
  RecordingConfig: creation.recording_config,
  TranscriptConfig: recording.transcript,
  Retention: recording.retention,
  RealtimeEndpoint: recording.realtime_endpoints.items,
  LiveTranscriptionTarget: creation.live_transcription_required,
  InitialAudio: creation.initial_audio,
  SocketTarget: creation.live_audio_required,
  ZoomOptions: creation.platforma,
  GoogleMeetOptions: creation.platformb,
  TeamsOptions: creation.platformc,
  CreatedBot: Creation,
  ReplayedBot: Replay,

  BotStatus: bots.BotStatus,
  BotRecord: bots.BotList.properties.bots.items,
  BotList: bots.BotList,
  BotDetail: bots.BotDetail,
  BotDetails: bots.BotDetail.properties.bot_details,
  BotSummary: bots.BotSummary,
  TimelineEntry: Object.values(detail.StatusTimeline.patternProperties)[0] as TSchema,
  QueuePlace: detail.Queue.anyOf[0],
  Absence: detail.Absences.items,
  DeliveredAmounts: detail.delivered,
  Evidence: detail.Evidence.items,
  TalkTime: bots.BotSummary.properties.talk_time.items,
  Acknowledgement: bots.Acknowledgement,
  Deletion: bots.Deletion,
  CommandAccepted: bots.CommandAccepted,

  Audio: recordings.Audio,
  Video: recordings.Video,
  VideoInfo: recordings.Video.properties.video_info,
  AudioStreams: recordings.AudioStreams,
  AudioStreamOwner: audioOwner,
  AudioStream: audioOwner.properties.streams.items,
  AudioSegment: audioOwner.properties.streams.items.properties.segments.items,
  StreamCount: recordings.AudioStreams.properties.summary,
  VideoStreams: recordings.VideoStreams,
  VideoStreamOwner: videoOwner,
  VideoStream: videoOwner.properties.streams.items,
  VideoSegment: videoOwner.properties.streams.items.properties.segments.items,
  ScreenStreamOwner: screenOwner,
  ScreenStream: screenOwner.properties.streams.items,
  ScreenSegment: screenOwner.properties.streams.items.properties.segments.items,
  SpeakerTimeline: recordings.SpeakerTimeline,
  SpeakerChunk: recordings.SpeakerTimeline.properties.chunks.items,

  Participant: meetings.Participants.items,
  Chats: meetings.Chats,
  ChatMetadata: meetings.Chats.properties.metadata,
  ChatMessage: meetings.Chats.properties.chatMessages.items,
  ChatSpeaker: meetings.Chats.properties.speakers.items,
  Screenshots: meetings.Screenshots,
  Screenshot: meetings.Screenshots.properties.screenshots.items,
  StoredElsewhere: meetings.Elsewhere,

  TranscriptSegment: segment,
  Word: segment.properties.words.items,
  TranscribeRequest: transcripts.TranscribeBody,
  TranscriptionStarted: transcripts.TranscribeAnswer,
  Transcriptions: transcripts.Transcriptions,
  TranscriptDownloads: transcripts.Transcriptions.properties.transcriptions.items.properties.download_urls.anyOf[0],
  Transcription: transcripts.Transcriptions.properties.transcriptions.items,

  CreateRoomRequest: NewRoom,
  Room,

  ConnectGoogleCalendarRequest: calendar.ConnectGoogleBody,
  ConnectOutlookCalendarRequest: calendar.ConnectOutlookBody,
  CalendarConnected: calendar.Connected,
  Calendar: calendar.CalendarAnswer,
  CalendarList: calendar.CalendarList,
  CalendarConnection: calendar.ConnectionList.properties.connections.items,
  CalendarConnectionList: calendar.ConnectionList,
  DisconnectCalendarRequest: calendar.DisconnectBody,
  CalendarDisconnected: calendar.Disconnected,
  CalendarEvent: calendar.EventPage.properties.results.items,
  CalendarEventBot: calendar.EventPage.properties.results.items.properties.bots.items,
  CalendarEventPage: calendar.EventPage,
  BotConfig: calendar.ScheduleBody.properties.bot_config,
  ScheduleEventRequest: calendar.ScheduleBody,
  EventScheduled: calendar.ScheduleAnswer,
  UnscheduleEventRequest: calendar.UnscheduleBody,
  EventUnscheduled: calendar.UnscheduleAnswer,
  ToggleRecurrenceRequest: calendar.ToggleBody,
  RecurrenceToggled: calendar.ToggleAnswer,
  AutoScheduleRequest: calendar.AutoScheduleBody,
  AutoScheduleChanged: calendar.AutoScheduleAnswer,
  AutoScheduleSettings: calendar.AutoScheduleSettings,
  ScheduledBot,
  RescheduleBotRequest: RescheduleBody,
  BotRescheduled: Rescheduled,

  CreateWebhookEndpointRequest: webhooks.NewEndpoint,
  UpdateWebhookEndpointRequest: webhooks.EndpointChange,
  WebhookEndpoint: webhooks.Endpoint,
  WebhookEndpointWithSecret: webhooks.EndpointWithSecret,
  ReplayEventsRequest: webhooks.Replay,
  WebhookDelivery: webhooks.Delivery,
  DeliveryAttempt: webhooks.Delivery.properties.attempts.items,
  EventFeed: webhooks.Feed,

  SpeechVendor: VendorAnswer,
  SetSpeechProviderKeyRequest: NewKey,
  LoginDomain: DomainAnswer,
  Login: LoginAnswer,
  Usage,
  UsageDay: Usage.properties.by_day.items,
  WorkspaceSettings: Settings,
  Workspace,
  Health,
}
