// PostgreSQL from the npm binaries, started and stopped by the service in a folder of its own, for when no DATABASE_URL is set.
import { rmdir } from 'node:fs/promises'
import type { Client } from 'pg'
import { type Place, preparePlace, SUPERUSER } from './postgres-cluster.ts'
import { bringDown, bringUp, type Running, type Settings } from './postgres-launch.ts'
import type { Postmaster } from './postgres-postmaster.ts'
import { createDatabase, takeOwnership, whenLost } from './postgres-session.ts'

const DATABASE = 'emissary'

export interface EmbeddedPostgresOptions {
  /** Holds the cluster and its log. Made when missing. */
  readonly directory: string
  /** Told, in a sentence, what takes time. */
  readonly log?: (sentence: string) => void
  /** Server settings on top of ours. */
  readonly settings?: Settings
  /** The folder of `initdb` and `postgres`, when not those of the npm package. */
  readonly binaries?: string
  /** Called once when the database ends without being asked to. */
  readonly onLost?: (error: Error) => void
}

export interface EmbeddedPostgres {
  /** For `pg`: the host is the folder of the unix socket. */
  readonly connection: { readonly host: string; readonly port: number; readonly user: string; readonly database: string }
  /** True when the server was left running by a service that was killed. */
  readonly adopted: boolean
  /** Ends the server and every connection to it. Safe to call twice. */
  stop(): Promise<void>
}

/** A database that only this service uses: new, started again, or adopted. */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const log = options.log ?? (() => undefined)
  const place = await preparePlace(options, log)
  const running = await own(place, options)
  if (running.adopted) log(`Adopted the database that a killed Emissary left running in ${options.directory}`)
  const stop = stopOnce(place, running, options.onLost)
  await createDatabase(running.session, DATABASE).catch(async (error) => {
    await stop()
    throw error
  })
  const { socketDirectory: host, port } = running.postmaster
  return { connection: { host, port, user: SUPERUSER, database: DATABASE }, adopted: running.adopted, stop }
}

async function own(place: Place, options: EmbeddedPostgresOptions): Promise<Running> {
  for (;;) {
    const running = await bringUp(place, options.settings)
    const ownership = await takeOwnership(running.session)
    if (ownership === 'ours') return running
    await running.session.end()
    if (ownership === 'going') continue
    throw new Error(
      `Another Emissary already uses the database in ${options.directory}. Stop it, or set DATA_DIR (or DATABASE_URL) to run a second one.`,
    )
  }
}

/** Keeps the lock until the server is gone: a service that waits for it must not get hold of one that is going down. */
function stopOnce(place: Place, { postmaster, session }: Running, onLost?: (error: Error) => void): () => Promise<void> {
  let stopping: Promise<void> | undefined
  whenLost(session, (error) => {
    if (stopping === undefined) onLost?.(error)
  })
  return () => {
    stopping ??= bringDown(postmaster, place).then(() => leave(session, place, postmaster))
    return stopping
  }
}

async function leave(session: Client, { cluster, socketDirectory }: Place, postmaster: Postmaster): Promise<void> {
  await session.end()
  // An adopted server may have its socket where the killed service's temporary folder was.
  const temporary = [socketDirectory, postmaster.socketDirectory].filter((folder) => folder !== cluster)
  // Not empty or gone already: either way it is not ours to remove.
  for (const folder of temporary) await rmdir(folder).catch(() => undefined)
}
