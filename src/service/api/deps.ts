// Dependencies of the routes, wired in service/start-api.ts.
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyBaseLogger, FastifyInstance, RawReplyDefaultExpression, RawRequestDefaultExpression, RawServerDefault } from 'fastify'
import type { BotId } from '../../domain/bot.ts'
import type { Keys } from '../accounts/keys.ts'
import type { CalendarDeps } from '../calendar/deps.ts'
import type { CalendarSyncs } from '../calendar/due-syncs.ts'
import type { Followers } from '../delivery/followers.ts'
import type { BotRequests, NodeAnswer, NodeRequest } from '../fleet/node/bot-requests.ts'
import type { NodeQuestion, QuestionAnswer } from '../fleet/node/node-questions.ts'
import type { AudioFormats } from '../media/audio/convert-on-request.ts'
import type { SignedLinks } from '../media/signed-links.ts'
import type { NodeParts } from '../open-node.ts'
import type { DeliveryIds } from './webhooks/delivery-ids.ts'

export type Api = FastifyInstance<
  RawServerDefault,
  RawRequestDefaultExpression,
  RawReplyDefaultExpression,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>

type Shared = 'config' | 'log' | 'now' | 'metrics' | 'reachability' | 'disk' | 'draining'
type OfApi = 'publicUrl' | 'db' | 'vault' | 'providerKeys' | 'operations' | 'fleet' | 'deletion' | 'store' | 'rooms'

/** The dependencies of a process without the API: for health checks and requests of other nodes. */
export type NodeDeps = Pick<NodeParts, Shared> & {
  /** Executes requests of other nodes, which authenticate with the key. */
  readonly node: {
    readonly key: string
    executeNodeRequest(botId: BotId, request: NodeRequest): Promise<NodeAnswer>
    answer(question: NodeQuestion): Promise<QuestionAnswer>
  }
}

export type ApiDeps = NodeDeps &
  Pick<NodeParts, OfApi> & {
    readonly keys: Keys
    readonly botRequests: BotRequests
    readonly links: SignedLinks
    readonly deliveryIds: DeliveryIds
    readonly followers: Followers
    readonly audioFormats: AudioFormats
    readonly calendar: CalendarDeps
    readonly calendarSyncs: CalendarSyncs
  }
