// The thread of the keeper. It has one database connection of its own and shares nothing else with the service.
import { enableCompileCache, flushCompileCache } from 'node:module'
import { parentPort, workerData } from 'node:worker_threads'
import { COMPILED } from '../../kit/compiled.ts'
import type { Connection } from '../db/database.ts'
import type { KeeperOrder } from './keeper.ts'

export type KeeperThreadData = { readonly connection: Connection; readonly nodeId: string }

// A thread enables the cache for itself. Modules are imported after that: the type stripper, which takes 13 MB, is not loaded then.
enableCompileCache(COMPILED)
const { openPool, URGENT } = await import('../db/database.ts')
const { renewClaims } = await import('../db/node-leases.ts')
const { LEASES } = await import('../leases.ts')
const { forkHost } = await import('./host-process.ts')
const { Keeper } = await import('./keeper.ts')
flushCompileCache()

const { connection, nodeId } = workerData as KeeperThreadData
// A broken connection is replaced, and a failed renewal is reported by the keeper.
const db = openPool({ connection, connections: 1, limits: URGENT, onError: () => undefined })
const keeper = new Keeper({
  renew: (claims) => renewClaims(db, { nodeId, claims, leaseSeconds: LEASES.bot.seconds }),
  fork: forkHost,
  onEvent: (event) => parentPort?.postMessage(event),
})

parentPort?.on('message', (order: KeeperOrder | 'stop') => {
  if (order === 'stop') void stop()
  else keeper.receive(order)
})

async function stop(): Promise<void> {
  await keeper.stop()
  await db.destroy()
  // Of this thread only. A host that is about to exit does not keep it.
  process.exit()
}
