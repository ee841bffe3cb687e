// Dependencies of the routes, wired in service/start-api.ts.
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyBaseLogger, FastifyInstance, RawReplyDefaultExpression, RawRequestDefaultExpression, RawServerDefault } from 'fastify'
import type { BotId } from '../../domain/bot.ts'
import type { Logger } from '../../kit/log.ts'
import type { RoomAccess } from '../../room/room-access.ts'
import type { ObjectStore } from '../../storage/store.ts'
import type { Keys } from '../accounts/keys.ts'
import type { ProviderKeys } from '../accounts/provider-keys.ts'
import type { Vault } from '../accounts/secrets.ts'
import type { CalendarDeps } from '../calendar/deps.ts'
import type { CalendarSyncs } from '../calendar/due-syncs.ts'
import type { Config } from '../config.ts'
import type { Db } from '../db/database.ts'
import type { Reachability } from '../db/reachability.ts'
import type { Followers } from '../delivery/followers.ts'
import type { DiskSpace } from '../disk-space.ts'
import type { DeletionDeps } from '../fleet/delete.ts'
import type { NodeAnswer, NodeRequest, Reach } from '../fleet/reach.ts'
import type { FleetDeps } from '../fleet/transition.ts'
import type { AudioFormats } from '../media/audio/convert-on-request.ts'
import type { SignedLinks } from '../media/signed-links.ts'
import type { Metrics } from '../operations/metrics.ts'
import type { Operations } from '../operations/start-operations.ts'
import type { DeliveryIds } from './webhooks/delivery-ids.ts'

export type Api = FastifyInstance<
  RawServerDefault,
  RawRequestDefaultExpression,
  RawReplyDefaultExpression,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>

/** The dependencies of a process without the API: for health checks and requests of other nodes. */
export type NodeDeps = Pick<ApiDeps, 'config' | 'log' | 'now' | 'metrics' | 'reachability' | 'disk' | 'draining' | 'node'>

export type ApiDeps = {
  readonly config: Config
  /** The server's public base URL; known once it listens. */
  readonly publicUrl: () => string
  readonly db: Db
  readonly reachability: Reachability
  readonly disk: DiskSpace
  /** Aborted: this process stops soon. */
  readonly draining: AbortSignal
  readonly log: Logger
  readonly keys: Keys
  readonly vault: Vault
  readonly providerKeys: ProviderKeys
  readonly metrics: Metrics
  readonly operations: Pick<Operations, 'onCreateRequest'>
  readonly fleet: FleetDeps
  readonly deletion: DeletionDeps
  readonly reach: Reach
  /** Executes requests of other nodes, which authenticate with the key. */
  readonly node: { readonly key: string; executeNodeRequest(botId: BotId, request: NodeRequest): Promise<NodeAnswer> }
  readonly store: ObjectStore
  readonly links: SignedLinks
  readonly deliveryIds: DeliveryIds
  readonly followers: Followers
  readonly rooms: RoomAccess
  readonly audioFormats: AudioFormats
  readonly calendar: CalendarDeps
  readonly calendarSyncs: CalendarSyncs
  readonly now: () => Date
}
