// Push notifications of calendar providers. They carry the channel's secret instead of an API key.
import type { FastifyReply } from 'fastify'
import type { JsonObject } from '../../../domain/bot.ts'
import { onPush } from '../../calendar/push-channels.ts'
import type { Api, ApiDeps } from '../deps.ts'

/** Microsoft sends a few notifications per request. */
const MAX_NOTIFICATIONS = 100
const MAX_BYTES = 64 * 1024

/** An unauthentic notification gets the same answer, so that it reveals nothing and the provider does not retry. */
export function calendarPushRoutes(app: Api, deps: ApiDeps): void {
  app.post('/hooks/calendar/google', { schema: { hide: true } }, async ({ headers }, reply) => {
    await handlePush(deps, text(headers['x-goog-channel-id']), text(headers['x-goog-channel-token']))
    return reply.send({ message: 'Received' })
  })
  app.post('/hooks/calendar/outlook', { schema: { hide: true }, bodyLimit: MAX_BYTES }, async (request, reply) => {
    const { validationToken: token } = Object(request.query ?? {})
    if (typeof token === 'string') return answerValidation(reply, token)
    const { value } = Object(request.body ?? {})
    for (const { subscriptionId, clientState } of notificationsIn(value)) await handlePush(deps, text(subscriptionId), text(clientState))
    return reply.code(202).send({ message: 'Received' })
  })
}

/** Microsoft validates the URL before it opens a channel. Plain text, because the token is attacker-controlled. */
function answerValidation(reply: FastifyReply, token: string): FastifyReply {
  return reply.header('x-content-type-options', 'nosniff').type('text/plain; charset=utf-8').send(token.slice(0, 4096))
}

async function handlePush(deps: ApiDeps, channelId: string | null, secret: string | null): Promise<void> {
  if (channelId === null || secret === null) return
  if (await onPush(deps, channelId, secret)) deps.calendarSyncs.wake()
}

function notificationsIn(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) ? value.slice(0, MAX_NOTIFICATIONS).filter((it) => typeof it === 'object' && it !== null) : []
}

function text(value: unknown): string | null {
  return typeof value === 'string' && value !== '' && value.length <= 256 ? value : null
}
