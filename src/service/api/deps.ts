// What the routes stand on, wired once in service/main.ts.
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyBaseLogger, FastifyInstance, RawReplyDefaultExpression, RawRequestDefaultExpression, RawServerDefault } from 'fastify'
import type { BotId } from '../../domain/bot.ts'
import type { Logger } from '../../kit/log.ts'
import type { ObjectStore } from '../../storage/store.ts'
import type { Keys } from '../accounts/keys.ts'
import type { ProviderKeys } from '../accounts/provider-keys.ts'
import type { Vault } from '../accounts/secrets.ts'
import type { CalendarDeps } from '../calendar/deps.ts'
import type { Syncer } from '../calendar/syncer.ts'
import type { Config } from '../config.ts'
import type { Db } from '../db/database.ts'
import type { Reachability } from '../db/reachability.ts'
import type { Followers } from '../delivery/followers.ts'
import type { DiskSpace } from '../disk-space.ts'
import type { DeletionDeps } from '../fleet/delete.ts'
import type { NodeAnswer, NodeWish, Reach } from '../fleet/reach.ts'
import type { FleetDeps } from '../fleet/transition.ts'
import type { AudioFormats } from '../media/audio-formats.ts'
import type { Links } from '../media/links.ts'
import type { Metrics } from '../metrics.ts'
import type { Door } from '../room/door.ts'
import type { DeliveryIds } from './delivery-ids.ts'

export type Api = FastifyInstance<
  RawServerDefault,
  RawRequestDefaultExpression,
  RawReplyDefaultExpression,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>

export type ApiDeps = {
  readonly config: Config
  /** Where others reach this server; known once it listens. */
  readonly publicUrl: () => string
  readonly db: Db
  readonly reachability: Reachability
  readonly disk: DiskSpace
  readonly log: Logger
  readonly keys: Keys
  readonly vault: Vault
  readonly providerKeys: ProviderKeys
  readonly metrics: Metrics
  readonly fleet: FleetDeps
  readonly deletion: DeletionDeps
  readonly reach: Reach
  /** Other nodes' wishes for the bots of this one, and the key they must show. */
  readonly node: { readonly key: string; obey(botId: BotId, wish: NodeWish): Promise<NodeAnswer> }
  readonly store: ObjectStore
  readonly links: Links
  readonly deliveryIds: DeliveryIds
  readonly followers: Followers
  readonly rooms: Door
  readonly audioFormats: AudioFormats
  readonly calendar: CalendarDeps
  readonly syncer: Syncer
  readonly now: () => Date
}
