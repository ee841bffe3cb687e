// Participants, chat and pictures as they are answered, and the links to them.
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
    streamIds: Type.Array(Type.String(), { description: 'The stream_id of each recorded stream, once it can be read.' }),
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
  is_bot: Type.Boolean({ description: 'A line that this bot wrote.' }),
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

/** Of every read that answers with links. */
export const LinkQuery = Type.Object({
  expires_in: Type.Optional(Type.Number({ minimum: 60, maximum: 86_400, default: 3600, description: 'Seconds until the links expire.' })),
})

export const Screenshots = Type.Object({
  bot_id: Type.String(),
  screenshots_count: Type.Integer(),
  screenshots: Type.Array(
    Type.Object({
      url: Type.String({ description: 'Signed: needs no key, and expires.' }),
      timestamp: Moment,
      offset: Type.Number({ description: 'Seconds since the bot came in; 0 for what was before.' }),
    }),
  ),
})

export const MediaParams = Type.Object({
  token: Type.String({ description: 'What the link was signed for, and the signature.' }),
  file_name: Type.String({ description: 'As it is to be saved; signed, too.' }),
})

/** JSON is one of the types that a link can lead to. */
export const Bytes = {
  content: {
    'application/json': { schema: Type.Unsafe<unknown>({ description: 'Lists of events.' }) },
    '*/*': { schema: Type.Unsafe<unknown>({ type: 'string', format: 'binary', description: 'Pictures and recordings.' }) },
  },
}

export const Elsewhere = Type.Object({ message: Type.String() })
