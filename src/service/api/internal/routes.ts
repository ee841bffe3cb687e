// Requests of other nodes: commands to bots on this node, and questions while the database is away. They authenticate with the key in this node's database row.
import type { FastifyRequest } from 'fastify'
import Type from 'typebox'
import type { BotId } from '../../../domain/bot.ts'
import { ServiceError } from '../../../domain/errors.ts'
import { isSameSecret } from '../../../kit/is-same-secret.ts'
import type { NodeRequest } from '../../fleet/node/bot-requests.ts'
import type { NodeQuestion } from '../../fleet/node/node-questions.ts'
import type { Api, NodeDeps } from '../deps.ts'
import { KNOWN_BODY_BYTES } from '../http/json-body.ts'
import { idIn } from '../http/path-id.ts'

export function internalRoutes(app: Api, { node }: NodeDeps): void {
  const schema = { hide: true, params: Type.Object({ bot_id: Type.String() }) }
  // Before the body is read. 404 and not 403, so that the path is not revealed.
  const onRequest = async ({ headers }: FastifyRequest): Promise<void> => {
    if (!isSameSecret(headers.authorization ?? '', `Node ${node.key}`)) throw new ServiceError('not_found')
  }
  app.post('/internal/v1/bots/:bot_id', { schema, onRequest, bodyLimit: KNOWN_BODY_BYTES }, async (request) => {
    return node.executeNodeRequest(idIn(request.params.bot_id) as BotId, request.body as NodeRequest)
  })
  const asked = { schema: { hide: true }, onRequest, bodyLimit: KNOWN_BODY_BYTES }
  app.post('/internal/v1/node', asked, async ({ body }) => node.answer(body as NodeQuestion))
}
