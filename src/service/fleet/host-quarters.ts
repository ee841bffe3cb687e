// Where hosts live on this node: each has a home of its own and, where the service is root, a user of its own.
import { mkdirSync } from 'node:fs'
import { chmod, mkdir, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Launcher } from '../../kit/reach.ts'
import { handOver } from './hand-over.ts'
import { type Home, HostHomes } from './host-homes.ts'
import { findHostUsers, type HostUsers, launcherFor, NoHostUsers } from './host-user.ts'

const CODE = fileURLToPath(new URL('../../..', import.meta.url)).replace(/\/$/, '')

export type QuartersOptions = {
  readonly dataFolder: string
  readonly recordings: string
  /** Where weights are, or will be. */
  readonly weights: string
  /** Other folders that hosts read besides our code: a browser of the operator's own. */
  readonly reads: readonly string[]
  /** Files that other users must not read. */
  readonly secrets: readonly string[]
  readonly random: () => number
}

export type Quarter = {
  readonly environment: Readonly<Record<string, string>>
  readonly launcher: Launcher
  /** The bot's folder becomes the host's, with everything in it. */
  handOver(folder: string): void
  /** The host has ended. */
  leave(): Promise<void>
}

export type Quarters = {
  /** Why hosts run as the service's own user; null where each has its own. */
  readonly shared: string | null
  take(): Quarter
  close(): Promise<void>
}

export async function openQuarters(options: QuartersOptions): Promise<Quarters> {
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

async function settleUsers(homes: HostHomes, { recordings, weights, reads, secrets }: QuartersOptions): Promise<HostUsers> {
  if (process.getuid?.() !== 0) throw new NoHostUsers('the service is not root')
  for (const folder of [recordings, weights]) await mkdir(folder, { recursive: true })
  // Each bot's folder is closed; the way to it is not.
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

function ownQuarter(homes: HostHomes, users: HostUsers, random: () => number): Quarter {
  const uid = users.range.first + Math.floor(random() * users.range.count)
  return {
    ...livingIn(homes, homes.make(uid)),
    launcher: launcherFor(users, uid),
    handOver(folder) {
      mkdirSync(folder, { recursive: true, mode: 0o700 })
      handOver(folder, uid)
    },
  }
}

function sharedQuarter(homes: HostHomes): Quarter {
  const launcher: Launcher = (command, args) => ({ command, args: [...args], identity: {} })
  return { ...livingIn(homes, homes.make(null)), launcher, handOver: () => undefined }
}

function livingIn(homes: HostHomes, home: Home): Pick<Quarter, 'environment' | 'leave'> {
  return { environment: home.environment, leave: () => homes.remove(home) }
}
