// The sandbox of each host: a home of its own and, if the service is root, a user of its own.
import { mkdirSync } from 'node:fs'
import { chmod, mkdir, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Launcher } from '../../kit/reach.ts'
import { changeOwner } from './change-owner.ts'
import { type Home, HostHomes } from './host-homes.ts'
import { findHostUsers, type HostUsers, launcherFor, NoHostUsers } from './host-user.ts'

const CODE = fileURLToPath(new URL('../../..', import.meta.url)).replace(/\/$/, '')

export type SandboxOptions = {
  readonly dataFolder: string
  readonly recordings: string
  /** The folder of model weights, which may not exist yet. */
  readonly weights: string
  /** Other folders that hosts read, such as the operator's own browser. */
  readonly reads: readonly string[]
  /** Files that other users must not read. */
  readonly secrets: readonly string[]
  readonly random: () => number
}

export type HostSandbox = {
  readonly environment: Readonly<Record<string, string>>
  readonly launcher: Launcher
  /** Gives the bot's folder with its content to the host's user. */
  changeOwner(folder: string): void
  /** Removes the home of a host that has ended. */
  leave(): Promise<void>
}

export type HostSandboxes = {
  /** Why hosts run as the service's user; null: each has its own. */
  readonly shared: string | null
  take(): HostSandbox
  close(): Promise<void>
}

export async function openSandboxes(options: SandboxOptions): Promise<HostSandboxes> {
  const homes = await HostHomes.open(options.dataFolder)
  const close = () => homes.close()
  try {
    const users = await settleUsers(homes, options)
    return { shared: null, take: () => ownQuarter(homes, users, options.random), close }
  } catch (error) {
    if (!(error instanceof NoHostUsers)) throw error
    return { shared: error.message, take: () => sharedQuarter(homes), close }
  }
}

async function settleUsers(homes: HostHomes, { recordings, weights, reads, secrets }: SandboxOptions): Promise<HostUsers> {
  if (process.getuid?.() !== 0) throw new NoHostUsers('the service is not root')
  for (const folder of [recordings, weights]) await mkdir(folder, { recursive: true })
  // Each bot's folder is closed, but its parent must be passable.
  await chmod(recordings, 0o711)
  for (const file of secrets) await closeToOthers(file)
  const code = [CODE, join(CODE, 'node_modules'), dirname(process.execPath)]
  const files = [join(CODE, 'src', 'bot', 'main.ts'), join(CODE, 'node_modules', 'playwright-core', 'package.json')]
  const users = await findHostUsers({ folders: [...code, recordings, homes.folder, weights, ...reads], files }, homes.stage)
  await homes.shareCompiled()
  return users
}

async function closeToOthers(file: string): Promise<void> {
  const found = await stat(file).catch(() => null)
  if (found && (found.mode & 0o007) !== 0) await chmod(file, found.mode & 0o770)
}

function ownQuarter(homes: HostHomes, users: HostUsers, random: () => number): HostSandbox {
  const uid = users.range.first + Math.floor(random() * users.range.count)
  return {
    ...livingIn(homes, homes.make(uid)),
    launcher: launcherFor(users, uid),
    changeOwner(folder) {
      mkdirSync(folder, { recursive: true, mode: 0o700 })
      changeOwner(folder, uid)
    },
  }
}

function sharedQuarter(homes: HostHomes): HostSandbox {
  const launcher: Launcher = (command, args) => ({ command, args: [...args], identity: {} })
  return { ...livingIn(homes, homes.make(null)), launcher, changeOwner: () => undefined }
}

function livingIn(homes: HostHomes, home: Home): Pick<HostSandbox, 'environment' | 'leave'> {
  return { environment: home.environment, leave: () => homes.remove(home) }
}
