// Registers this node: its row holds the address at which other nodes reach its bots, while its lease lasts.
import { randomBytes } from 'node:crypto'
import { newId } from '../../../kit/id.ts'
import type { Logger } from '../../../kit/log.ts'
import { startLoop } from '../../../kit/loop.ts'
import { monotonicMs } from '../../../kit/monotonic.ts'
import type { Db } from '../../db/database.ts'
import { type NodeRow, removeNode, renewNode } from '../../db/fleet/nodes.ts'
import { LEASES } from '../../leases.ts'

/** Made once, before anything is claimed in its name. */
export type NodeIdentity = { readonly id: string; readonly key: string; readonly startedAt: Date }

export function newNode(startedAt: Date): NodeIdentity {
  return { id: newId('node', startedAt), key: randomBytes(32).toString('base64url'), startedAt }
}

export type NodeOptions = {
  readonly db: Db
  readonly log: Logger
  readonly node: NodeIdentity
  /** Does not change while the node runs. */
  readonly about: Pick<NodeRow, 'address' | 'roles' | 'version' | 'outageSeconds'>
  readonly seats: () => Pick<NodeRow, 'seats' | 'freeSeats' | 'freedSeats' | 'draining'>
  readonly onRenewed: (requestedMs: number) => void
}

export function startNode({ db, log, node, about, seats, onRenewed }: NodeOptions): { stop(): Promise<void> } {
  const renewal = startLoop({
    async work() {
      const requestedMs = monotonicMs()
      await renewNode(db, { ...node, ...about, ...seats() }, LEASES.node.seconds)
      onRenewed(requestedMs)
      return LEASES.node.renewEveryMs
    },
    onError: (error) => log.error({ err: error }, 'the node could not say that it lives'),
    retryMs: 500,
  })
  return {
    async stop() {
      await renewal.stop()
      await removeNode(db, node.id, LEASES.bot.seconds)
    },
  }
}
