// Users for hosts. A service that is root gives each host a user of its own, so that no host can read files of the service or of another
// host.
import { execFile } from 'node:child_process'
import { realpath } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { promisify } from 'node:util'
import { closedPaths, type Launcher } from '../../kit/reach.ts'

const run = promisify(execFile)

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

export type HostUsers = {
  readonly range: UserRange
  /** Shell lines that make closed folders passable in the host's mount namespace. Empty: none is closed. */
  readonly view: string
}

/** Its message says why hosts cannot have users of their own. */
export class NoHostUsers extends Error {}

export type Needs = { readonly folders: readonly string[]; readonly files: readonly string[] }

/** Finds how root can start programs as host users that enter the folders and read the files. `stage` is an empty folder. */
export async function findHostUsers({ folders, files }: Needs, stage: string): Promise<HostUsers> {
  const users = await findView(folders, stage)
  const [unreadable] = await closedPaths(launcherFor(users, users.range.first), files, 'r')
  if (unreadable !== undefined) throw new NoHostUsers(`${unreadable} is closed to other users`)
  return users
}

async function findView(paths: readonly string[], stage: string): Promise<HostUsers> {
  const range = await usableRange()
  const found = await Promise.all(paths.map((path) => realpath(path)))
  // Parents come before their children: mounted later, a parent would cover them.
  const wanted = found.toSorted((one, other) => one.length - other.length)
  const ways = [...new Set([...paths, ...wanted].flatMap(wayTo))]
  let view = ''
  for (let round = 0; round < MOST_CLOSED_FOLDERS; round++) {
    const closed = await closedPaths(launcherFor({ range, view }, range.first), ways).catch((error: unknown) => {
      throw new NoHostUsers('the service may not give them a view of the file system in which closed folders are open', { cause: error })
    })
    const [outermost] = closed.toSorted((one, other) => one.length - other.length)
    if (outermost === undefined) return { range, view }
    const inside = wanted.filter((path) => path.startsWith(`${outermost}/`))
    if (inside.length === 0 || wanted.includes(outermost)) throw new NoHostUsers(`${outermost} is closed to other users`)
    view += openingLines(outermost, inside, stage)
  }
  throw new NoHostUsers('too many folders are closed to other users')
}

/** Starts a program as user `uid`, for root. */
export function launcherFor({ view }: HostUsers, uid: number): Launcher {
  if (view === '') return (command, args) => ({ command, args: [...args], identity: { uid, gid: uid } })
  const become = ['setpriv', `--reuid=${uid}`, `--regid=${uid}`, '--clear-groups', '--']
  const unshare = ['--mount', '--propagation', 'private', '--', '/bin/sh', '-ec', `${view}exec "$@"`, 'sh', ...become]
  return (command, args) => ({ command: 'unshare', args: [...unshare, command, ...args], identity: {} })
}

async function usableRange(): Promise<UserRange> {
  for (const range of RANGES) {
    const become = run('/bin/sh', ['-c', ':'], { uid: range.first, gid: range.first, cwd: '/' })
    const became = await become.then(
      () => true,
      () => false,
    )
    if (became) return range
  }
  throw new NoHostUsers('the service may not change users')
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
