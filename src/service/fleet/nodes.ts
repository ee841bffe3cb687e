// This node among others: its row says where its bots can be reached, for as long as it lives.
import { randomBytes } from 'node:crypto'
import { newId } from '../../kit/id.ts'
import type { Logger } from '../../kit/log.ts'
import { startLoop } from '../../kit/loop.ts'
import type { Db } from '../db/database.ts'
import { type NodeRow, removeNode, renewNode } from '../db/nodes.ts'

const RENEW_EVERY_MS = 2_000
const LEASE_SECONDS = 8

/** Who this node is. Made once, before anything is claimed in its name. */
export type NodeIdentity = { readonly id: string; readonly key: string; readonly startedAt: Date }

export function newNode(startedAt: Date): NodeIdentity {
  return { id: newId('node', startedAt), key: randomBytes(32).toString('base64url'), startedAt }
}

export type NodeOptions = {
  readonly db: Db
  readonly log: Logger
  readonly node: NodeIdentity
  readonly address: string
  readonly seats: () => Pick<NodeRow, 'seats' | 'freeSeats' | 'freedSeats'>
}

export function startNode({ db, log, node, address, seats }: NodeOptions): { stop(): Promise<void> } {
  const renewal = startLoop({
    async work() {
      await renewNode(db, { ...node, address, ...seats() }, LEASE_SECONDS)
      return RENEW_EVERY_MS
    },
    onError: (error) => log.error({ err: error }, 'the node could not say that it lives'),
    retryMs: 500,
  })
  return {
    async stop() {
      await renewal.stop()
      await removeNode(db, node.id)
    },
  }
}
