// The thread of the keeper. It has one database connection of its own and shares nothing else with the service.
import { enableCompileCache, flushCompileCache } from 'node:module'
import { parentPort, workerData } from 'node:worker_threads'
import { COMPILED } from '../../../kit/compiled.ts'
import type { Connection } from '../../db/database.ts'
import type { KeeperOrder } from './keeper.ts'

export type KeeperThreadData = { readonly connection: Connection; readonly nodeId: string; readonly outageSeconds: number }

// A thread enables the cache for itself. Modules are imported after that: the type stripper, which takes 13 MB, is not loaded then.
enableCompileCache(COMPILED)
const { openPool, URGENT } = await import('../../db/database.ts')
const { renewClaims } = await import('../../db/fleet/node-leases.ts')
const { knownNodes } = await import('../../db/fleet/nodes.ts')
const { createHttpClient } = await import('../../../kit/http-client.ts')
const { monotonicMs } = await import('../../../kit/monotonic.ts')
const { LEASES } = await import('../../leases.ts')
const { forkWorker } = await import('./worker-process.ts')
const { Keeper } = await import('./keeper.ts')
const { KnownNodes } = await import('./known-nodes.ts')
const { askNodesBy } = await import('../node/node-questions.ts')
flushCompileCache()

const { connection, nodeId, outageSeconds } = workerData as KeeperThreadData
// A broken connection is replaced, and a failed renewal is reported by the keeper.
const db = openPool({ connection, connections: 1, limits: URGENT, onError: () => undefined })
const http = createHttpClient({ allowPrivate: true })
const known = new KnownNodes({ read: () => knownNodes(db, nodeId, LEASES.node.seconds), ask: askNodesBy(http), nowMs: monotonicMs })
const keeper = new Keeper({
  renew: (claims, knows) => renewClaims(db, { nodeId, claims, knows, leaseSeconds: LEASES.bot.seconds }),
  outage: outageSeconds > 0 ? { known, seconds: outageSeconds } : null,
  fork: forkWorker,
  onEvent: (event) => parentPort?.postMessage(event),
})

parentPort?.on('message', (order: KeeperOrder | 'stop') => {
  if (order === 'stop') void stop()
  else keeper.receive(order)
})

async function stop(): Promise<void> {
  await keeper.stop()
  await db.destroy()
  await http.close()
  // Of this thread only. A worker that is about to exit does not keep it.
  process.exit()
}
