// The built-in rooms: POST /rooms, which creates a link to one, and their page.
import Type from 'typebox'
import { invalid, ServiceError } from '../../../domain/errors.ts'
import { createRoomPages, ROOM_PATHS } from '../../../room/room-pages.ts'
import { callerOf } from '../auth.ts'
import type { Api, ApiDeps } from '../deps.ts'
import { Moment, NamedObject, operationsOf, problems } from '../schema.ts'

const operation = operationsOf('Rooms')

const DAY_SECONDS = 86_400

const NewRoom = NamedObject(
  'CreateRoomRequest',
  {
    name: Type.Optional(
      Type.String({
        pattern: '^[A-Za-z0-9_-]{1,40}$',
        title: '1 to 40 letters, digits, - and _',
        description: 'First part of the room’s id. The same name gives the same room of the workspace. Default: a new room.',
      }),
    ),
    expires_in: Type.Optional(
      Type.Integer({ minimum: 60, maximum: 366 * DAY_SECONDS, default: DAY_SECONDS, description: 'Seconds until the link expires.' }),
    ),
  },
  { examples: [{ name: 'stand-up', expires_in: 3_600 }] },
)

const Room = NamedObject(
  'Room',
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

export function roomLinkRoutes(app: Api, { rooms }: ApiDeps): void {
  const schema = operation('createRoom', 'Create a link to a built-in room', {
    description: 'The link opens the room until it expires, even if the server has `ROOM=signed`. Participants inside stay after that.',
    body: NewRoom,
    response: { 201: { description: 'The link', ...Room }, ...problems() },
  })
  app.post('/rooms', { schema }, async (request, reply) => {
    if (rooms.mode === 'off') throw invalid('Built-in rooms are disabled on this server. Its operator can set ROOM to open or signed.')
    const { name, expires_in: expiresInSeconds = DAY_SECONDS } = request.body
    const { workspaceId } = callerOf(request)
    const { roomId, url, expiresAt } = rooms.invite({ workspaceId, ...(name !== undefined && { name }), expiresInSeconds })
    return reply.code(201).send({ room_id: roomId, room_url: url, expires_at: expiresAt.toISOString() })
  })
}

/** Serves the page of the built-in rooms. It needs no API key. */
export function roomPageRoutes(app: Api, { rooms }: ApiDeps): void {
  if (rooms.mode === 'off') return
  const answer = createRoomPages(rooms)
  for (const path of ROOM_PATHS) {
    app.get(path, { schema: { hide: true } }, async (request, reply) => {
      const found = answer(request.url, request.headers['if-none-match'])
      if (!found) throw new ServiceError('not_found')
      return reply.code(found.status).headers(found.headers).send(found.body)
    })
  }
}
