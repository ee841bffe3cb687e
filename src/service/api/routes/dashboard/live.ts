// What happens to the bots of a workspace, as server-sent events; and whether a link leads to a meeting, while it is typed.
import { ServiceError } from '../../../../domain/errors.ts'
import { parseMeetingLink } from '../../../../domain/meeting-link.ts'
import { PLATFORMS } from '../../../../domain/platforms.ts'
import type { BotNews } from '../../../delivery/followers.ts'
import { checkRoomLink } from '../../bot-request/room-link.ts'
import type { Api } from '../../deps.ts'
import { CreateBotBody } from '../../schemas/create-bot.ts'
import { LinkCheck, LinkVerdict, type LiveEvent, WorkspaceParams as params } from '../../schemas/dashboard.ts'
import { membershipOf, signedIn } from '../../session-auth.ts'
import { type DashboardDeps, memberIn } from './deps.ts'

const hide = true

export function liveRoutes(app: Api, deps: DashboardDeps): void {
  app.get('/workspaces/:workspace_id/live', { schema: { hide, params } }, async (request, reply) => {
    // EventSource sends no headers of its own. The stream changes nothing, and no other site can read it.
    const { session } = await signedIn(request, deps, { csrf: false })
    const { workspaceId } = await membershipOf(deps, session, request.params.workspace_id)
    const stream = deps.streams.open(reply, { sessionId: session.id, workspaceId })
    try {
      const unfollow = await deps.followers.follow(workspaceId, (news) => {
        for (const it of news) stream.send(eventOf(it))
      })
      stream.onClose(unfollow)
      stream.comment('open')
    } catch (error) {
      // The page opens it again by itself.
      stream.end()
      throw error
    }
  })

  // The form that sends a bot is made from it.
  app.get('/create_bot_schema', { schema: { hide } }, async (request) => {
    await signedIn(request, deps)
    return CreateBotBody
  })

  app.post(
    '/workspaces/:workspace_id/check_link',
    { schema: { hide, params, body: LinkCheck, response: { 200: LinkVerdict } } },
    async (request) => {
      await memberIn(request, deps)
      return verdictOn(deps, request.body.meeting_link)
    },
  )
}

function eventOf({ botId, event, status }: BotNews): LiveEvent {
  return { bot_id: botId, event, status }
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
