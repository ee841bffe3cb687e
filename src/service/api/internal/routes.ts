// Commands of other nodes to bots on this node. They authenticate with the key in this node's database row.

import { timingSafeEqual } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import Type from 'typebox'
import type { BotId } from '../../../domain/bot.ts'
import { ServiceError } from '../../../domain/errors.ts'
import type { NodeRequest } from '../../fleet/reach.ts'
import type { Api, NodeDeps } from '../deps.ts'
import { KNOWN_BODY_BYTES } from '../json-body.ts'
import { idIn } from '../path-id.ts'

export function internalRoutes(app: Api, { node }: NodeDeps): void {
  const schema = { hide: true, params: Type.Object({ bot_id: Type.String() }) }
  // Before the body is read. 404 and not 403, so that the path is not revealed.
  const onRequest = async ({ headers }: FastifyRequest): Promise<void> => {
    if (!isSame(headers.authorization ?? '', `Node ${node.key}`)) throw new ServiceError('not_found')
  }
  app.post('/internal/v1/bots/:bot_id', { schema, onRequest, bodyLimit: KNOWN_BODY_BYTES }, async (request) => {
    return node.executeNodeRequest(idIn(request.params.bot_id) as BotId, request.body as NodeRequest)
  })
}

function isSame(given: string, wanted: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(wanted)]
  return a.length === b.length && timingSafeEqual(a, b)
}
