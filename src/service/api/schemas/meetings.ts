// Participants and chat as they are answered.
import Type from 'typebox'
import { Moment, Nullable } from './common.ts'

export const Participants = Type.Array(
  Type.Object({
    deviceId: Type.String(),
    displayName: Type.String(),
    fullName: Type.String(),
    profilePicture: Nullable(Type.String()),
    status: Type.Integer({ description: '1 in the meeting, 6 not in it, 7 removed.' }),
    humanized_status: Type.String(),
    streamIds: Type.Array(Type.String()),
    lastUpdated: Moment,
    joined_at: Moment,
    left_at: Nullable(Moment),
    speaking_seconds: Type.Number(),
  }),
)

const ChatMessage = Type.Object({
  messageId: Type.String(),
  deviceId: Type.String(),
  timestamp: Moment,
  text: Type.String(),
  speakerName: Type.String(),
  speakerDisplayName: Type.String(),
  sessionTimestamp: Type.Number({ description: 'Seconds since the bot came in.' }),
})

export const Chats = Type.Object({
  metadata: Type.Object({
    startTime: Nullable(Moment),
    lastUpdated: Nullable(Moment),
    totalMessages: Type.Integer(),
    uniqueSpeakers: Type.Integer(),
    botId: Type.String(),
    meetingId: Type.String(),
  }),
  speakers: Type.Array(
    Type.Object({ deviceId: Type.String(), name: Type.String(), displayName: Type.String(), messageCount: Type.Integer() }),
  ),
  chatMessages: Type.Array(ChatMessage),
  messagesBySpeaker: Type.Record(Type.String(), Type.Array(ChatMessage)),
})
