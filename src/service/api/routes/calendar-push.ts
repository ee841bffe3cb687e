// Where calendar providers say that something changed. No key: a channel is known by the secret it was opened with.
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { JsonObject } from '../../../domain/bot.ts'
import { onPush } from '../../calendar/watch.ts'
import type { Api, ApiDeps } from '../deps.ts'

/** Microsoft sends a few at a time. */
const MOST_AT_ONCE = 100

/** What is not believed is answered like everything else: a stranger learns nothing, and a provider does not try again. */
export function calendarPushRoutes(app: Api, deps: ApiDeps): void {
  app.post('/hooks/calendar/google', { schema: { hide: true } }, async (request, reply) => {
    await heard(deps, header(request, 'x-goog-channel-id'), header(request, 'x-goog-channel-token'))
    return reply.send({ message: 'Heard' })
  })
  app.post('/hooks/calendar/outlook', { schema: { hide: true } }, async (request, reply) => {
    const proof = queryOf(request).validationToken
    if (typeof proof === 'string') return answerProof(reply, proof)
    const { value } = Object(request.body ?? {})
    for (const { subscriptionId, clientState } of notificationsIn(value)) await heard(deps, text(subscriptionId), text(clientState))
    return reply.code(202).send({ message: 'Heard' })
  })
}

/** Microsoft asks whether the address is ours before it opens a channel. As text, so that no browser takes it for a page. */
function answerProof(reply: FastifyReply, proof: string): FastifyReply {
  return reply.header('x-content-type-options', 'nosniff').type('text/plain; charset=utf-8').send(proof.slice(0, 4096))
}

async function heard(deps: ApiDeps, channelId: string | null, secret: string | null): Promise<void> {
  if (channelId === null || secret === null) return
  if (await onPush(deps, channelId, secret)) deps.syncer.wake()
}

function notificationsIn(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) ? value.slice(0, MOST_AT_ONCE).filter((it) => typeof it === 'object' && it !== null) : []
}

function queryOf(request: FastifyRequest): JsonObject {
  return Object(request.query ?? {})
}

function header(request: FastifyRequest, name: string): string | null {
  return text(request.headers[name])
}

function text(value: unknown): string | null {
  return typeof value === 'string' && value !== '' && value.length <= 256 ? value : null
}
