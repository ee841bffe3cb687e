// POST /rooms: creates a link to a built-in room.
import { invalid } from '../../../domain/errors.ts'
import { callerOf } from '../auth.ts'
import type { Api, ApiDeps } from '../deps.ts'
import { problems } from '../schema.ts'
import { DEFAULT_SECONDS, NewRoom, Room } from './schema.ts'

export function roomLinkRoutes(app: Api, { rooms }: ApiDeps): void {
  const schema = {
    summary: 'Create a link to a built-in room',
    description: 'The link opens the room until it expires, even if the server has `ROOM=signed`. Participants inside stay after that.',
    operationId: 'createRoom',
    tags: ['Rooms'],
    body: NewRoom,
    response: { 201: { description: 'The link', ...Room }, ...problems() },
  }
  app.post('/rooms', { schema }, async (request, reply) => {
    if (rooms.mode === 'off') throw invalid('Built-in rooms are disabled on this server. Its operator can set ROOM to open or signed.')
    const { name, expires_in: expiresInSeconds = DEFAULT_SECONDS } = request.body
    const { workspaceId } = callerOf(request)
    const { roomId, url, expiresAt } = rooms.invite({ workspaceId, ...(name !== undefined && { name }), expiresInSeconds })
    return reply.code(201).send({ room_id: roomId, room_url: url, expires_at: expiresAt.toISOString() })
  })
}
