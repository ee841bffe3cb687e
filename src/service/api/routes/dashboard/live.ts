// What happens to the bots of a workspace, as server-sent events; and whether a link leads to a meeting, while it is typed.
import type { FastifyRequest } from 'fastify'
import { ServiceError } from '../../../../domain/errors.ts'
import { parseMeetingLink } from '../../../../domain/meeting-link.ts'
import { PLATFORMS } from '../../../../domain/platforms.ts'
import type { Membership, Session } from '../../../db/sessions.ts'
import type { BotNews } from '../../../delivery/followers.ts'
import { checkRoomLink } from '../../bot-request/room-link.ts'
import type { Api } from '../../deps.ts'
import { LinkCheck, LinkVerdict, type LiveEvent, WorkspaceParams as params } from '../../schemas/dashboard.ts'
import { membershipOf, signedIn } from '../../session-auth.ts'
import { type DashboardDeps, memberIn } from './deps.ts'

const hide = true

/** A sign of life, and the moment to notice that the person was signed out or removed. */
const CHECK_EVERY_MS = 15_000
/** A page that does not read any more is cut off; it comes back by itself. */
const MOST_UNREAD_BYTES = 256 * 1024

export function liveRoutes(app: Api, deps: DashboardDeps): void {
  const open = new Set<() => void>()
  app.addHook('preClose', async () => {
    for (const end of open) end()
  })

  app.get('/workspaces/:workspace_id/live', { schema: { hide, params } }, async (request, reply) => {
    // EventSource sends no headers of its own. The stream changes nothing, and no other site can read it.
    const { session } = await signedIn(request, deps, { csrf: false })
    const { workspaceId } = await membershipOf(deps, session, request.params.workspace_id)
    const { raw } = reply
    const unfollow = await deps.followers.follow(workspaceId, (news) => {
      raw.write(news.map(lineOf).join(''))
      if (raw.writableLength > MOST_UNREAD_BYTES) raw.destroy()
    })
    reply.hijack()
    // It closed while we asked the database, so its `close` is past.
    if (raw.destroyed) return unfollow()
    raw.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store', 'x-accel-buffering': 'no' })
    raw.write(': open\n\n')
    const end = () => raw.end()
    const check = setInterval(() => {
      stillAllowed(request, deps, workspaceId).then((allowed) => (allowed ? raw.write(': still here\n\n') : end()), end)
    }, CHECK_EVERY_MS)
    open.add(end)
    raw.once('close', () => {
      clearInterval(check)
      unfollow()
      open.delete(end)
    })
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

async function stillAllowed(request: FastifyRequest, deps: DashboardDeps, workspace: Membership['workspaceId']): Promise<boolean> {
  const { session }: { session: Session } = await signedIn(request, deps, { csrf: false })
  return (await membershipOf(deps, session, workspace)).workspaceId === workspace
}

function lineOf({ botId, event, status }: BotNews): string {
  const data: LiveEvent = { bot_id: botId, event, status }
  return `data: ${JSON.stringify(data)}\n\n`
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
