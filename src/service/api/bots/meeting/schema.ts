// Answers of the participant, chat and screenshot reads.
import Type from 'typebox'
import { Moment, NamedObject, Nullable } from '../../schema.ts'

export const Participants = Type.Array(
  NamedObject('Participant', {
    deviceId: Type.String(),
    displayName: Type.String(),
    fullName: Type.String(),
    profilePicture: Nullable(Type.String()),
    status: Type.Integer({ description: '1 in the meeting, 6 not in it, 7 removed.' }),
    humanized_status: Type.String(),
    streamIds: Type.Array(Type.String(), { description: 'stream_id of each recorded stream. Empty until the streams are ready.' }),
    lastUpdated: Moment,
    joined_at: Moment,
    left_at: Nullable({ ...Moment, description: 'ISO 8601. Null for a participant who did not leave while the bot was there.' }),
    speaking_seconds: Type.Number(),
  }),
)

const ChatMessage = NamedObject('ChatMessage', {
  messageId: Type.String(),
  deviceId: Type.String(),
  timestamp: Moment,
  text: Type.String(),
  speakerName: Type.String(),
  speakerDisplayName: Type.String(),
  sessionTimestamp: Type.Number({ description: 'Seconds since the bot was admitted.' }),
  is_bot: Type.Boolean({ description: 'true if this bot sent the message.' }),
})

export const Chats = NamedObject('Chats', {
  metadata: NamedObject('ChatMetadata', {
    startTime: Nullable(Moment),
    lastUpdated: Nullable(Moment),
    totalMessages: Type.Integer(),
    uniqueSpeakers: Type.Integer(),
    botId: Type.String(),
    meetingId: Type.String(),
  }),
  speakers: Type.Array(
    NamedObject('ChatSpeaker', { deviceId: Type.String(), name: Type.String(), displayName: Type.String(), messageCount: Type.Integer() }),
  ),
  chatMessages: Type.Array(ChatMessage),
  messagesBySpeaker: Type.Record(Type.String(), Type.Array(ChatMessage)),
})

export const Screenshots = NamedObject('Screenshots', {
  bot_id: Type.String(),
  screenshots_count: Type.Integer(),
  screenshots: Type.Array(
    NamedObject('Screenshot', {
      url: Type.String({ description: 'Signed link. It needs no API key and expires.' }),
      timestamp: Moment,
      offset: Type.Number({ description: 'Seconds since the bot was admitted; 0 before that.' }),
    }),
  ),
})
