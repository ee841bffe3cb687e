// The homes of hosts: a folder for each that holds its browser's profile and its temporary files, and goes with the host.
import { createHash } from 'node:crypto'
import { chownSync, mkdirSync, mkdtempSync, symlinkSync } from 'node:fs'
import { chmod, lstat, mkdir, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { COMPILED, PROGRAMS_PATH } from '../../kit/compiled.ts'
import { handOver } from './hand-over.ts'

export type Home = { readonly folder: string; readonly environment: Readonly<Record<string, string>> }

export class HostHomes {
  /** Only its owner lists it; everybody may pass. */
  readonly folder: string
  /** An empty folder to mount on. */
  readonly stage: string
  /** What this user has compiled: folders of COMPILED. */
  #compiled: readonly string[] = []

  private constructor(folder: string) {
    this.folder = folder
    this.stage = join(folder, 'stage')
  }

  /**
   * Removes what killed services of the same DATA_DIR left. The homes are not in DATA_DIR, whose path may be long: Chromium makes a socket
   * in its home, and the path of a socket has 107 characters at most.
   */
  static async open(dataFolder: string): Promise<HostHomes> {
    const prefix = `emissary-${createHash('sha256').update(dataFolder).digest('hex').slice(0, 8)}-`
    for (const name of (await readdir(tmpdir())).filter((it) => it.startsWith(prefix))) {
      const pid = Number(name.slice(prefix.length))
      if (pid === process.pid || !isAlive(pid)) await removeTree(join(tmpdir(), name))
    }
    const homes = new HostHomes(join(tmpdir(), `${prefix}${process.pid}`))
    await mkdir(homes.folder)
    await chmod(homes.folder, 0o711)
    await mkdir(homes.stage, { mode: 0o700 })
    return homes
  }

  /** Lets hosts of other users start from what this user has compiled. They can read it, not change it. */
  async shareCompiled(): Promise<void> {
    const ours = (await readdir(COMPILED).catch(() => [])).filter((name) => name.endsWith(suffixOf(process.getuid?.() ?? 0)))
    for (const folder of ours.map((name) => join(COMPILED, name)))
      for (const file of await readdir(folder)) await chmod(join(folder, file), 0o644)
    this.#compiled = ours
  }

  /** `uid`: of a user that is not ours. */
  make(uid: number | null): Home {
    const folder = mkdtempSync(join(this.folder, 'host-'))
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

/** Node keeps compiled code by user, in a folder whose name ends so. */
function suffixOf(uid: number): string {
  return `-${uid}`
}

/** A browser that outlives its host for a moment may still write; what cannot be removed now is removed at the next start. */
async function removeTree(folder: string): Promise<void> {
  try {
    const { uid } = await lstat(folder)
    if (process.getuid?.() === 0) handOver(folder, 0)
    else if (uid !== process.getuid?.()) return
    await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
  } catch {
    // Gone already, or still written to: the next start looks again.
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
