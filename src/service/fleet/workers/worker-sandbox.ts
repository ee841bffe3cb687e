// The sandbox of each worker: a home of its own and, if the service is root, a user of its own.
import { mkdirSync } from 'node:fs'
import { chmod, mkdir, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Launcher, launcherAs } from '../../../kit/closed-paths.ts'
import { changeOwner } from '../bot/change-owner.ts'
import { type Home, WorkerHomes } from './worker-homes.ts'
import { findWorkerUsers, launcherFor, NoWorkerUsers, type WorkerUsers } from './worker-user.ts'

const CODE = fileURLToPath(new URL('../../../..', import.meta.url)).replace(/\/$/, '')

export type SandboxOptions = {
  readonly dataFolder: string
  readonly recordings: string
  /** The folder of model weights, which may not exist yet. */
  readonly weights: string
  /** Other folders that workers read, such as the operator's own browser. */
  readonly reads: readonly string[]
  /** Files that other users must not read. */
  readonly secrets: readonly string[]
  readonly random: () => number
}

export type WorkerSandbox = {
  readonly environment: Readonly<Record<string, string>>
  readonly launcher: Launcher
  /** Gives the bot's folder with its content to the worker's user. */
  changeOwner(folder: string): void
  /** Removes the home of a worker that has ended. */
  leave(): Promise<void>
}

export type WorkerSandboxes = {
  /** Why workers run as the service's user; null: each has its own. */
  readonly shared: string | null
  take(): WorkerSandbox
  close(): Promise<void>
}

export async function openSandboxes(options: SandboxOptions): Promise<WorkerSandboxes> {
  const homes = await WorkerHomes.open(options.dataFolder)
  const close = () => homes.close()
  try {
    const users = await settleUsers(homes, options)
    return { shared: null, take: () => ownQuarter(homes, users, options.random), close }
  } catch (error) {
    if (!(error instanceof NoWorkerUsers)) throw error
    return { shared: error.message, take: () => sharedQuarter(homes), close }
  }
}

async function settleUsers(homes: WorkerHomes, { recordings, weights, reads, secrets }: SandboxOptions): Promise<WorkerUsers> {
  if (process.getuid?.() !== 0) throw new NoWorkerUsers('the service is not root')
  for (const folder of [recordings, weights]) await mkdir(folder, { recursive: true })
  // Each bot's folder is closed, but its parent must be passable.
  await chmod(recordings, 0o711)
  for (const file of secrets) await closeToOthers(file)
  const code = [CODE, join(CODE, 'node_modules'), dirname(process.execPath)]
  const files = [join(CODE, 'src', 'bot', 'worker', 'main.ts'), join(CODE, 'node_modules', 'playwright-core', 'package.json')]
  const users = await findWorkerUsers({ folders: [...code, recordings, homes.folder, weights, ...reads], files }, homes.stage)
  await homes.shareCompiled()
  return users
}

async function closeToOthers(file: string): Promise<void> {
  const found = await stat(file).catch(() => null)
  if (found && (found.mode & 0o007) !== 0) await chmod(file, found.mode & 0o770)
}

function ownQuarter(homes: WorkerHomes, users: WorkerUsers, random: () => number): WorkerSandbox {
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

function sharedQuarter(homes: WorkerHomes): WorkerSandbox {
  return { ...livingIn(homes, homes.make(null)), launcher: launcherAs({}), changeOwner: () => undefined }
}

function livingIn(homes: WorkerHomes, home: Home): Pick<WorkerSandbox, 'environment' | 'leave'> {
  return { environment: home.environment, leave: () => homes.remove(home) }
}
