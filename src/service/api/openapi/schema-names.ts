// Names of the published schemas. Generated clients get one type per row.

import type { TSchema } from 'typebox'
import { Settings, Usage } from '../account/schema.ts'
import { Workspace } from '../admin/schema.ts'
import { AutomaticLeave, CreateBotBody, Creation, Replay } from '../bots/create/schema.ts'
import * as meetings from '../bots/meeting/schema.ts'
import * as recordings from '../bots/recordings/schema.ts'
import * as bots from '../bots/schema.ts'
import { RescheduleBody, Rescheduled, ScheduledBot } from '../calendar/scheduled-bots/schema.ts'
import * as calendar from '../calendar/schema.ts'
import { Health } from '../health/schema.ts'
import { DomainAnswer, LoginAnswer } from '../logins/schema.ts'
import { Elsewhere } from '../media/schema.ts'
import { NewRoom, Room } from '../rooms/schema.ts'
import { Attributes, ErrorAnswer, Moment, NotReady } from '../schema.ts'
import { NewKey, VendorAnswer } from '../speech-providers/schema.ts'
import * as transcripts from '../transcripts/schema.ts'
import * as webhooks from '../webhooks/schema.ts'

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
  ErrorAnswer,
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
  StoredElsewhere: Elsewhere,

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
