// Users for workers. A service that is root gives each worker a user of its own, so that no worker can read files of the service or of another
// worker.
import { realpath } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { closedPaths, type Launcher, launcherAs } from '../../../kit/closed-paths.ts'
import { runProcess } from '../../../kit/process.ts'

type UserRange = { readonly first: number; readonly count: number }

/**
 * User ids without an entry in /etc/passwd. The first range is above those of systemd's containers. A container with mapped users has only
 * small ids.
 */
const RANGES: readonly UserRange[] = [
  { first: 1_900_000_000, count: 60_000_000 },
  { first: 40_000, count: 15_000 },
]

/** Each closed folder takes one more round. */
const MOST_CLOSED_FOLDERS = 16
const ANSWER_WITHIN_MS = 60_000

export type WorkerUsers = {
  readonly range: UserRange
  /** Shell lines that make closed folders passable in the worker's mount namespace. Empty: none is closed. */
  readonly view: string
}

/** Its message says why workers cannot have users of their own. */
export class NoWorkerUsers extends Error {}

export type Needs = { readonly folders: readonly string[]; readonly files: readonly string[] }

/** Finds how root can start programs as worker users that enter the folders and read the files. `stage` is an empty folder. */
export async function findWorkerUsers({ folders, files }: Needs, stage: string): Promise<WorkerUsers> {
  const users = await findView(folders, stage)
  const [unreadable] = await closedPaths(launcherFor(users, users.range.first), files, 'r')
  if (unreadable !== undefined) throw new NoWorkerUsers(`${unreadable} is closed to other users`)
  return users
}

async function findView(paths: readonly string[], stage: string): Promise<WorkerUsers> {
  const range = await usableRange()
  const found = await Promise.all(paths.map((path) => realpath(path)))
  // Parents come before their children: mounted later, a parent would cover them.
  const wanted = found.toSorted((one, other) => one.length - other.length)
  const ways = [...new Set([...paths, ...wanted].flatMap(wayTo))]
  let view = ''
  for (let round = 0; round < MOST_CLOSED_FOLDERS; round++) {
    const closed = await closedPaths(launcherFor({ range, view }, range.first), ways).catch((error: unknown) => {
      throw new NoWorkerUsers('the service may not give them a view of the file system in which closed folders are open', { cause: error })
    })
    const [outermost] = closed.toSorted((one, other) => one.length - other.length)
    if (outermost === undefined) return { range, view }
    const inside = wanted.filter((path) => path.startsWith(`${outermost}/`))
    if (inside.length === 0 || wanted.includes(outermost)) throw new NoWorkerUsers(`${outermost} is closed to other users`)
    view += openingLines(outermost, inside, stage)
  }
  throw new NoWorkerUsers('too many folders are closed to other users')
}

/** Starts a program as user `uid`, for root. */
export function launcherFor({ view }: WorkerUsers, uid: number): Launcher {
  if (view === '') return launcherAs({ uid, gid: uid })
  const become = ['setpriv', `--reuid=${uid}`, `--regid=${uid}`, '--clear-groups', '--']
  const unshare = ['--mount', '--propagation', 'private', '--', '/bin/sh', '-ec', `${view}exec "$@"`, 'sh', ...become]
  return (command, args) => ({ command: 'unshare', args: [...unshare, command, ...args], identity: {} })
}

async function usableRange(): Promise<UserRange> {
  for (const range of RANGES) {
    const identity = { uid: range.first, gid: range.first }
    const become = runProcess({ program: '/bin/sh', args: ['-c', ':'], identity, cwd: '/', limitMs: ANSWER_WITHIN_MS })
    const became = await become.then(
      () => true,
      () => false,
    )
    if (became) return range
  }
  throw new NoWorkerUsers('the service may not change users')
}

/** Mounts over the folder a passable one that holds only the given paths. */
function openingLines(folder: string, paths: readonly string[], stage: string): string {
  const binds = paths.map((path) => {
    const place = quoted(join(stage, relative(folder, path)))
    return `mkdir -p ${place}\nmount --bind ${quoted(path)} ${place}\n`
  })
  return [`mount -t tmpfs -o mode=755 emissary ${quoted(stage)}\n`, ...binds, `mount --move ${quoted(stage)} ${quoted(folder)}\n`].join('')
}

/** The path and all its parents. */
function wayTo(path: string): readonly string[] {
  const above = dirname(path)
  return above === path ? [path] : [...wayTo(above), path]
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}
