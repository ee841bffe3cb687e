// Serves the page of the built-in rooms. It needs no API key.
import { ServiceError } from '../../../domain/errors.ts'
import { createRoomPages, ROOM_PATHS } from '../../../room/room-pages.ts'
import type { Api, ApiDeps } from '../deps.ts'

export function roomRoutes(app: Api, { rooms }: ApiDeps): void {
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
