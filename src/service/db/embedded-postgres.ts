// PostgreSQL from the npm binaries, run by the service in a folder of its own, for when no DATABASE_URL is set.
import { rmdir } from 'node:fs/promises'
import { type Place, preparePlace, SUPERUSER } from './postgres-cluster.ts'
import { bringDown, bringUp, type Running, type Settings } from './postgres-launch.ts'
import { findPostmaster } from './postgres-postmaster.ts'
import { createDatabase, takeOwnership } from './postgres-session.ts'
import { type Supervision, type Supervisor, supervise } from './postgres-supervise.ts'

const DATABASE = 'emissary'

export interface EmbeddedPostgresOptions extends Supervision {
  /** Holds the cluster and its log. Made when missing. */
  readonly directory: string
  /** Told, in a sentence, what takes time. */
  readonly log?: (sentence: string) => void
  /** Server settings on top of ours. */
  readonly settings?: Settings
  /** The folder of `initdb` and `postgres`, when not those of the npm package. */
  readonly binaries?: string
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
  const { socketDirectory: host, port } = running.postmaster
  // An adopted server may listen elsewhere than we would choose, and connections lead there.
  const supervisor = supervise(running, () => own({ ...place, socketDirectory: host }, options), options)
  const stop = stopOnce(place, host, supervisor)
  await createDatabase(running.session, DATABASE).catch(async (error) => {
    await stop()
    throw error
  })
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

function stopOnce(place: Place, host: string, supervisor: Supervisor): () => Promise<void> {
  let stopping: Promise<void> | undefined
  return () => {
    stopping ??= supervisor.stop().then((running) => end(place, host, running))
    return stopping
  }
}

/** Keeps the lock until the server is gone: a service that waits for it must not get hold of one that is going down. */
async function end(place: Place, host: string, running: Running | null): Promise<void> {
  const postmaster = running?.postmaster ?? (await findPostmaster(place.cluster))
  if (postmaster) await bringDown(postmaster, place)
  await running?.session.end()
  const temporary = [place.socketDirectory, host].filter((folder) => folder !== place.cluster)
  // Not empty or gone already: either way it is not ours to remove.
  for (const folder of temporary) await rmdir(folder).catch(() => undefined)
}
