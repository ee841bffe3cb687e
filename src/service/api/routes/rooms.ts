// POST /rooms: a link to a built-in room, for people and for create_bot.
import { invalid } from '../../../domain/errors.ts'
import { callerOf } from '../auth.ts'
import type { Api, ApiDeps } from '../deps.ts'
import { problems } from '../schemas/common.ts'
import { DEFAULT_SECONDS, NewRoom, Room } from '../schemas/rooms.ts'

export function roomLinkRoutes(app: Api, { rooms }: ApiDeps): void {
  const schema = {
    summary: 'Make a link to a built-in room',
    description: 'The link opens the room until it expires, also where `ROOM=signed` keeps out all others. People inside stay.',
    operationId: 'createRoom',
    tags: ['Rooms'],
    body: NewRoom,
    response: { 201: { description: 'The link', ...Room }, ...problems() },
  }
  app.post('/rooms', { schema }, async (request, reply) => {
    if (rooms.mode === 'off') throw invalid('The rooms of this server are switched off. Its operator can set ROOM to open or signed.')
    const { name, expires_in: expiresInSeconds = DEFAULT_SECONDS } = request.body
    const { workspaceId } = callerOf(request)
    const { roomId, url, expiresAt } = rooms.invite({ workspaceId, ...(name !== undefined && { name }), expiresInSeconds })
    return reply.code(201).send({ room_id: roomId, room_url: url, expires_at: expiresAt.toISOString() })
  })
}
