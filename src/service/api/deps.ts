// What the routes stand on, wired once in service/main.ts.
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { FastifyBaseLogger, FastifyInstance, RawReplyDefaultExpression, RawRequestDefaultExpression, RawServerDefault } from 'fastify'
import type { Logger } from '../../kit/log.ts'
import type { Keys } from '../accounts/keys.ts'
import type { Vault } from '../accounts/secrets.ts'
import type { Config } from '../config.ts'
import type { Db } from '../db/database.ts'
import type { Hosts } from '../fleet/hosts.ts'
import type { FleetDeps } from '../fleet/transition.ts'
import type { Metrics } from '../metrics.ts'

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
  readonly log: Logger
  readonly keys: Keys
  readonly vault: Vault
  readonly metrics: Metrics
  readonly fleet: FleetDeps
  readonly hosts: Pick<Hosts, 'leave' | 'evict' | 'perform'>
  readonly now: () => Date
}
