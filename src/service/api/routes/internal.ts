// What other nodes ask of the bots on this one. Opened by the key in this node's row, which only the database knows.
import { timingSafeEqual } from 'node:crypto'
import Type from 'typebox'
import type { BotId } from '../../../domain/bot.ts'
import { ServiceError } from '../../../domain/errors.ts'
import type { NodeWish } from '../../fleet/reach.ts'
import type { Api, ApiDeps } from '../deps.ts'
import { idIn } from './find-bot.ts'

export function internalRoutes(app: Api, { node }: ApiDeps): void {
  const schema = { hide: true, params: Type.Object({ bot_id: Type.String() }) }
  app.post('/internal/v1/bots/:bot_id', { schema }, async (request) => {
    // To everybody else there is nothing here.
    if (!isSame(request.headers.authorization ?? '', `Node ${node.key}`)) throw new ServiceError('not_found')
    return node.obey(idIn(request.params.bot_id) as BotId, request.body as NodeWish)
  })
}

function isSame(given: string, wanted: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(wanted)]
  return a.length === b.length && timingSafeEqual(a, b)
}
