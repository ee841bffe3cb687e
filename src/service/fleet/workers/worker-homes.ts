// The home folder of each worker, with its browser's profile and temporary files, removed with the worker.
import { createHash } from 'node:crypto'
import { chownSync, mkdirSync, mkdtempSync, symlinkSync } from 'node:fs'
import { chmod, lstat, mkdir, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { COMPILED, PROGRAMS_PATH } from '../../../kit/compiled.ts'
import { isAlive } from '../../../kit/system-errors.ts'
import { changeOwner } from '../bot/change-owner.ts'

export type Home = { readonly folder: string; readonly environment: Readonly<Record<string, string>> }

export class WorkerHomes {
  /** Only its owner may list it. All users may pass through. */
  readonly folder: string
  /** An empty folder to mount on. */
  readonly stage: string
  /** Folders of COMPILED with this user's compiled code. */
  #compiled: readonly string[] = []

  private constructor(folder: string) {
    this.folder = folder
    this.stage = join(folder, 'stage')
  }

  /**
   * Removes homes that killed services of the same DATA_DIR left. Homes are not in DATA_DIR, whose path may be long: Chromium creates a socket
   * in its home, and a socket's path has at most 107 characters.
   */
  static async open(dataFolder: string): Promise<WorkerHomes> {
    const prefix = `emissary-${createHash('sha256').update(dataFolder).digest('hex').slice(0, 8)}-`
    for (const name of (await readdir(tmpdir())).filter((it) => it.startsWith(prefix))) {
      const pid = Number(name.slice(prefix.length))
      if (pid === process.pid || !isAlive(pid)) await removeTree(join(tmpdir(), name))
    }
    const homes = new WorkerHomes(join(tmpdir(), `${prefix}${process.pid}`))
    await mkdir(homes.folder)
    await chmod(homes.folder, 0o711)
    await mkdir(homes.stage, { mode: 0o700 })
    return homes
  }

  /** Lets workers of other users read this user's compiled code, but not change it. */
  async shareCompiled(): Promise<void> {
    const ours = (await readdir(COMPILED).catch(() => [])).filter((name) => name.endsWith(suffixOf(process.getuid?.() ?? 0)))
    for (const folder of ours.map((name) => join(COMPILED, name)))
      for (const file of await readdir(folder)) await chmod(join(folder, file), 0o644)
    this.#compiled = ours
  }

  /** `uid`: another user's; null: this user's. */
  make(uid: number | null): Home {
    const folder = mkdtempSync(join(this.folder, 'worker-'))
    const environment = { PATH: PROGRAMS_PATH, HOME: folder, TMPDIR: folder }
    if (uid === null) return { folder, environment: { ...environment, NODE_COMPILE_CACHE: COMPILED } }
    const compiled = join(folder, 'compiled')
    mkdirSync(compiled)
    const ownLength = suffixOf(process.getuid?.() ?? 0).length
    for (const name of this.#compiled) symlinkSync(join(COMPILED, name), join(compiled, name.slice(0, -ownLength) + suffixOf(uid)))
    chownSync(compiled, uid, uid)
    chownSync(folder, uid, uid)
    return { folder, environment: { ...environment, NODE_COMPILE_CACHE: compiled } }
  }

  remove({ folder }: Home): Promise<void> {
    return removeTree(folder)
  }

  close(): Promise<void> {
    return removeTree(this.folder)
  }
}

/** Node names the folder of compiled code by the user, with this suffix. */
function suffixOf(uid: number): string {
  return `-${uid}`
}

/** A browser may outlive its worker for a moment and still write. The next start removes the rest. */
async function removeTree(folder: string): Promise<void> {
  try {
    const { uid } = await lstat(folder)
    if (process.getuid?.() === 0) changeOwner(folder, 0)
    else if (uid !== process.getuid?.()) return
    await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
  } catch {
    // The home is gone, or a browser still writes to it. The next start tries again.
  }
}
