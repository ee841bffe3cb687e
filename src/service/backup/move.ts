// emissary move: copies a stopped service to another database, another store or both. The source stays as it is.
import { copyObjects } from '../../storage/copy-objects.ts'
import { listObjects, type ObjectStore } from '../../storage/store.ts'
import type { Connection, Db } from '../db/database.ts'
import { listNodes } from '../db/fleet/nodes.ts'
import { holdMigrations } from '../db/migrate.ts'
import { load } from '../db/transfer/load.ts'
import { whileHeld, withSession } from '../db/transfer/session.ts'
import { type Snapshot, withSnapshot } from '../db/transfer/snapshot.ts'
import { Progress, type Say } from './progress.ts'

export type MoveOptions = {
  readonly from: { readonly connection: Connection; readonly store: ObjectStore }
  /** Null: what is there stays in use. */
  readonly to: { readonly connection: Connection | null; readonly store: ObjectStore | null }
  readonly finish: (tx: Db, copiedAt: Date) => Promise<void>
  readonly say: Say
}

/**
 * Objects come first, and the commit of the rows last: until then the move can be repeated. A service that is started meanwhile, as supervisors
 * do, waits in its migrations. One that had just migrated is found at the end.
 */
export async function move({ from, to, finish, say }: MoveOptions): Promise<void> {
  await whileHeld(from.connection, holdMigrations, async (expectHeld) => {
    await expectStopped(from.connection)
    await withSnapshot(from.connection, async (snapshot) => {
      const expectStillStopped = async (): Promise<void> => {
        await expectHeld()
        await expectStopped(from.connection)
      }
      if (to.store) await moveObjects(from.store, to.store, snapshot, say)
      if (to.connection) {
        const finishStopped = async (tx: Db) => {
          await finish(tx, snapshot.at)
          await expectStillStopped()
        }
        await moveRows(to.connection, snapshot, finishStopped, say)
      } else await expectStillStopped()
    })
  })
}

async function moveObjects(from: ObjectStore, to: ObjectStore, { bots }: Snapshot, say: Say): Promise<void> {
  const progress = new Progress()
  await copyObjects(from, to, await listObjects(from, bots), ({ size }) => progress.add(1, size))
  say(`Copied and compared ${progress.objects()}.`)
}

async function moveRows(to: Connection, snapshot: Snapshot, finish: (tx: Db) => Promise<void>, say: Say): Promise<void> {
  const progress = new Progress()
  await load(to, snapshot, { finish, onTable: (_table, digest) => progress.add(digest.rows) })
  say(`Copied and compared ${progress.rows(snapshot.tables.length)}.`)
}

/** What a running service writes after the snapshot would be lost, and two fleets would send the same bots. */
async function expectStopped(connection: Connection): Promise<void> {
  const nodes = await withSession(connection, ({ db }) => listNodes(db))
  const running = nodes.filter(({ isAlive }) => isAlive).map(({ address }) => address)
  if (running.length > 0)
    throw new Error(
      `The service still runs at ${running.join(', ')}. Stop it first; after a crash wait ten seconds. Its bots continue in the new place.`,
    )
}
