// The user of the embedded database: PostgreSQL refuses root, so root picks another user and gives it access to the files.
import { readFile, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { closedPaths, type Launcher, launcherAs } from '../../kit/closed-paths.ts'
import { runProcess } from '../../kit/process.ts'

const ANSWER_WITHIN_MS = 60_000
/** In order of preference. `nobody` exists everywhere. */
const UNPRIVILEGED_USERS = ['postgres', 'nobody']

/** Capabilities that let a process pass through folders closed to its user, and their bits in /proc/self/status. */
const REACHING_CAPABILITIES = [
  { name: 'dac_override', bit: 1n },
  { name: 'dac_read_search', bit: 2n },
]

export interface DatabaseUser {
  readonly name: string
  readonly uid: number
  readonly gid: number
}

/** An existing cluster keeps its owner. A new one gets this user or, if that is root, another one. */
export async function pickDatabaseUser(cluster: string): Promise<DatabaseUser> {
  const self = { name: 'this user', uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 }
  const found = await stat(cluster).catch(() => undefined)
  if (found === undefined) return self.uid === 0 ? await ownerOrUnprivileged(dirname(dirname(cluster))) : self
  const owner = { name: `user ${found.uid}`, uid: found.uid, gid: found.gid }
  if (self.uid !== 0 && owner.uid !== self.uid) {
    throw new Error(`${cluster} belongs to ${owner.name}, and this is user ${self.uid}. Run Emissary as its owner, or set DATA_DIR.`)
  }
  if (owner.uid === 0) {
    const { name } = await unprivilegedUser()
    throw new Error(`${cluster} belongs to root, and PostgreSQL refuses to run as root. Run: chown -R ${name}: '${cluster}'`)
  }
  return owner
}

/** The owner of the data folder, which may be closed to all others: a container as root lacks the capabilities to pass through it. */
async function ownerOrUnprivileged(dataFolder: string): Promise<DatabaseUser> {
  const { uid } = await stat(dataFolder)
  const owner = uid === 0 ? undefined : (await listUsers()).find((user) => user.uid === uid)
  return owner ?? (await unprivilegedUser())
}

async function unprivilegedUser(): Promise<DatabaseUser> {
  const users = await listUsers()
  const found = UNPRIVILEGED_USERS.flatMap((wanted) => users.find(({ name, uid }) => name === wanted && uid > 0) ?? [])[0]
  if (found) return found
  throw new Error(
    `PostgreSQL refuses to run as root, and there is no user ${UNPRIVILEGED_USERS.join(' or ')}. Add one, or set DATABASE_URL.`,
  )
}

/** PostgreSQL refuses a user without a name, too. */
async function listUsers(): Promise<readonly DatabaseUser[]> {
  const lines = (await readFile('/etc/passwd', 'utf8')).split('\n').filter(Boolean)
  return lines.map((line) => line.split(':')).map(([name = '', , uid, gid]) => ({ name, uid: Number(uid), gid: Number(gid) }))
}

/** A launcher that runs a program as `user` with access to `paths`, even below a folder that is closed to that user. */
export async function launcherFor(user: DatabaseUser, paths: readonly string[]): Promise<Launcher> {
  if (user.uid === process.getuid?.()) return launcherAs({})
  const launcher = launcherAs({ uid: user.uid, gid: user.gid })
  const [hidden] = await closedPaths(launcher, paths)
  return hidden === undefined ? launcher : await reachingLauncher(user, hidden)
}

/**
 * Not root, but able to pass through closed folders. `no_setuid_fixup` is needed because access(2), which PostgreSQL calls on its own
 * binary, otherwise ignores the capabilities of every user but root.
 */
async function reachingLauncher(user: DatabaseUser, hidden: string): Promise<Launcher> {
  const capabilities = (await availableCapabilities()).map((name) => `+${name}`).join(',')
  const become = [
    `--reuid=${user.uid}`,
    `--regid=${user.gid}`,
    '--clear-groups',
    '--securebits=+no_setuid_fixup',
    `--inh-caps=${capabilities}`,
    `--ambient-caps=${capabilities}`,
  ]
  const launcher: Launcher = (binary, args) => ({ command: 'setpriv', args: [...become, binary, ...args], identity: {} })
  const { command, args } = launcher('/bin/sh', ['-c', 'test -x "$1"', 'sh', hidden])
  const probe = { program: command, args, cwd: '/', limitMs: ANSWER_WITHIN_MS }
  const reached = capabilities !== '' && (await runProcess(probe).catch(() => undefined))
  if (reached) return launcher
  throw new Error(
    `PostgreSQL refuses to run as root, and ${user.name} cannot reach ${hidden}. Open its parent folders, run Emissary as another user, or set DATABASE_URL.`,
  )
}

async function availableCapabilities(): Promise<string[]> {
  const status = await readFile('/proc/self/status', 'utf8')
  const set = (field: string) => BigInt(`0x${new RegExp(`^${field}:\\s*([0-9a-f]+)`, 'm').exec(status)?.[1] ?? '0'}`)
  const ours = set('CapBnd') & set('CapPrm')
  return REACHING_CAPABILITIES.filter(({ bit }) => (ours & (1n << bit)) !== 0n).map(({ name }) => name)
}
