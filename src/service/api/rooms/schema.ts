// Request and answer of POST /rooms.
import Type from 'typebox'
import { Moment } from '../schema.ts'

const DAY_SECONDS = 86_400

export const DEFAULT_SECONDS = DAY_SECONDS

export const NewRoom = Type.Object(
  {
    name: Type.Optional(
      Type.String({
        pattern: '^[A-Za-z0-9_-]{1,40}$',
        title: '1 to 40 letters, digits, - and _',
        description: 'First part of the room’s id. The same name gives the same room of the workspace. Default: a new room.',
      }),
    ),
    expires_in: Type.Optional(
      Type.Integer({ minimum: 60, maximum: 366 * DAY_SECONDS, description: `Seconds until the link expires. Default ${DEFAULT_SECONDS}.` }),
    ),
  },
  { examples: [{ name: 'stand-up', expires_in: 3_600 }] },
)

export const Room = Type.Object(
  {
    room_id: Type.String(),
    room_url: Type.String({ description: 'The link for participants, and for meeting_link of create_bot.' }),
    expires_at: Moment,
  },
  {
    examples: [
      {
        room_id: 'stand-up-q1ZkC0mXw3Yt',
        room_url: 'https://bots.example.com/room/stand-up-q1ZkC0mXw3Yt?token=1794822000.dGhlIHNpZ25hdHVyZSBvZiB0aGlzIGxpbmsgYW5kIHJvb20',
        expires_at: '2026-11-15T09:30:00.000Z',
      },
    ],
  },
)
