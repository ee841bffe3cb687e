// Runs PostgreSQL from the npm binaries when no DATABASE_URL is set.
import { realpath, rmdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { unless } from '../../kit/system-errors.ts'
import { type ClusterPaths, prepareCluster, SUPERUSER } from './cluster.ts'
import { createDatabase, takeOwnership } from './owner-session.ts'
import { findPostmaster } from './postmaster.ts'
import { type RunningServer, type Settings, startServer, stopServer } from './server.ts'
import { type Supervision, type Supervisor, supervise } from './supervisor.ts'

const DATABASE = 'emissary'

export interface EmbeddedPostgresOptions extends Supervision {
  /** Holds the cluster and its log. Created if missing. */
  readonly directory: string
  /** Receives a progress message for each slow step. */
  readonly log?: (sentence: string) => void
  /** Server settings that override the defaults. */
  readonly settings?: Settings
  /** The folder of `initdb` and `postgres`, if not the one of the npm package. */
  readonly binaries?: string
}

export interface EmbeddedPostgres {
  /** For `pg`: the host is the folder of the Unix socket. */
  readonly connection: { readonly host: string; readonly port: number; readonly user: string; readonly database: string }
  /** True if a killed service left the server running. */
  readonly adopted: boolean
  /** Stops the server and closes every connection to it. Idempotent. */
  stop(): Promise<void>
}

/** The connection to the server that runs in this folder, without ownership of it; null: none runs. */
export async function findEmbeddedPostgres(directory: string): Promise<EmbeddedPostgres['connection'] | null> {
  const folder = await realpath(directory).catch(() => null)
  const postmaster = folder === null ? undefined : await findPostmaster(join(folder, 'cluster'))
  if (!postmaster?.ready) return null
  return { host: postmaster.socketDirectory, port: postmaster.port, user: SUPERUSER, database: DATABASE }
}

export async function hasEmbeddedPostgres(directory: string): Promise<boolean> {
  const cluster = await stat(join(directory, 'cluster')).catch(unless('ENOENT', 'ENOTDIR'))
  return cluster !== undefined
}

/** A server that only this service uses: new, restarted or adopted. */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const log = options.log ?? (() => undefined)
  const paths = await prepareCluster(options, log)
  const running = await own(paths, options)
  if (running.adopted) log(`Adopted the database that a killed Emissary left running in ${options.directory}`)
  const { socketDirectory: host, port } = running.postmaster
  // An adopted server may listen elsewhere than the default, and clients connect there.
  const supervisor = supervise(running, () => own({ ...paths, socketDirectory: host }, options), options)
  const stop = stopOnce(paths, host, supervisor)
  await createDatabase(running.session, DATABASE).catch(async (error) => {
    await stop()
    throw error
  })
  return { connection: { host, port, user: SUPERUSER, database: DATABASE }, adopted: running.adopted, stop }
}

async function own(paths: ClusterPaths, options: EmbeddedPostgresOptions): Promise<RunningServer> {
  for (;;) {
    const running = await startServer(paths, options.settings)
    const ownership = await takeOwnership(running.session)
    if (ownership === 'ours') return running
    await running.session.end()
    if (ownership === 'going') continue
    throw new Error(
      `Another Emissary already uses the database in ${options.directory}. Stop it, or set DATA_DIR (or DATABASE_URL) to run a second one.`,
    )
  }
}

function stopOnce(paths: ClusterPaths, host: string, supervisor: Supervisor): () => Promise<void> {
  let stopping: Promise<void> | undefined
  return () => {
    stopping ??= supervisor.stop().then((running) => end(paths, host, running))
    return stopping
  }
}

/** Keeps the lock until the server is gone: a service that waits for the lock must not get a server that is shutting down. */
async function end(paths: ClusterPaths, host: string, running: RunningServer | null): Promise<void> {
  const postmaster = running?.postmaster ?? (await findPostmaster(paths.cluster))
  if (postmaster) await stopServer(postmaster, paths)
  await running?.session.end()
  const temporary = [paths.socketDirectory, host].filter((folder) => folder !== paths.cluster)
  // Not empty or gone: in both cases another service owns it.
  for (const folder of temporary) await rmdir(folder).catch(() => undefined)
}
