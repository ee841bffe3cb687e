// The workspace's bot events as server-sent events, and the link check of the form for a new bot.
import { ServiceError } from '../../../domain/errors.ts'
import { parseMeetingLink } from '../../../domain/meeting-link.ts'
import { PLATFORMS } from '../../../domain/platforms.ts'
import { checkRoomLink } from '../bots/create/room-link.ts'
import type { Api } from '../deps.ts'
import { membershipOf, signedIn } from '../session-auth.ts'
import { type DashboardDeps, memberIn } from './deps.ts'
import { LinkCheck, LinkVerdict, type LiveEvent, WorkspaceParams as params } from './schema.ts'

export function liveRoutes(app: Api, deps: DashboardDeps): void {
  app.get('/workspaces/:workspace_id/live', { schema: { params } }, async (request, reply) => {
    // EventSource cannot send the CSRF header. The stream is read-only, and CORS keeps other sites from reading it.
    const { session } = await signedIn(request, deps, { csrf: false })
    const { workspaceId } = await membershipOf(deps, session, request.params.workspace_id)
    const stream = deps.streams.open(reply, { sessionId: session.id, workspaceId })
    try {
      const unfollow = await deps.followers.follow(workspaceId, (news) => {
        for (const { botId: bot_id, event, status } of news) stream.send({ bot_id, event, status } satisfies LiveEvent)
      })
      stream.onClose(unfollow)
      stream.comment('open')
    } catch (error) {
      // EventSource reconnects by itself.
      stream.end()
      throw error
    }
  })

  const checking = { operationId: 'checkLink', params, body: LinkCheck, response: { 200: LinkVerdict } }
  app.post('/workspaces/:workspace_id/check_link', { schema: checking }, async (request) => {
    await memberIn(request, deps)
    return verdictOn(deps, request.body.meeting_link)
  })
}

function verdictOn({ rooms, publicUrl }: DashboardDeps, text: string): LinkVerdict {
  const link = parseMeetingLink(text, { roomBase: publicUrl() })
  if (link.kind === 'problem') return { platform: null, problem: link.message }
  try {
    checkRoomLink(link, rooms)
    return { platform: PLATFORMS[link.platform].wireName, problem: null }
  } catch (error) {
    if (error instanceof ServiceError) return { platform: null, problem: error.message }
    throw error
  }
}
