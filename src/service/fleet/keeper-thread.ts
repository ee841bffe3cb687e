// The thread of the keeper. It has one database connection of its own and shares nothing else with the service.
import { parentPort, workerData } from 'node:worker_threads'
import { type Connection, openPool, URGENT } from '../db/database.ts'
import { renewClaims } from '../db/node-leases.ts'
import { LEASES } from '../leases.ts'
import { forkHost } from './host-process.ts'
import { Keeper, type KeeperOrder } from './keeper.ts'

export type KeeperThreadData = { readonly connection: Connection; readonly nodeId: string }

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
