// Finds the running server of a cluster from its postmaster.pid, and removes lock files of dead servers.
import { link, readFile, rename, rm, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { isAlive } from '../../kit/system-errors.ts'

export interface Postmaster {
  readonly pid: number
  readonly socketDirectory: string
  readonly port: number
  /** False while it starts, recovers or shuts down. */
  readonly ready: boolean
}

/** Zero-based line numbers of postmaster.pid. */
const LINE = { pid: 0, port: 3, socketDirectory: 4, status: 7 }
const FILLED_WITHIN_MS = 2_000

/** The live postmaster of this cluster, once it has written its socket folder. */
export async function findPostmaster(cluster: string): Promise<Postmaster | undefined> {
  const lines = ((await readText(join(cluster, 'postmaster.pid'))) ?? '').split('\n')
  const pid = Number(lines[LINE.pid])
  const socketDirectory = lines[LINE.socketDirectory] ?? ''
  if (socketDirectory === '' || !(await isPostmasterOf(pid, cluster))) return undefined
  return { pid, port: Number(lines[LINE.port]), socketDirectory, ready: lines[LINE.status]?.trim() === 'ready' }
}

/** True if the embedded server in this folder runs and accepts connections. */
export async function isEmbeddedRunning(directory: string): Promise<boolean> {
  return (await findPostmaster(join(directory, 'cluster')))?.ready === true
}

/** Checks the command line, which all users can read. A zombie process has none. */
export async function isPostmasterOf(pid: number, cluster: string): Promise<boolean> {
  if (!(pid > 0)) return false
  const [program = '', ...args] = ((await readText(`/proc/${pid}/cmdline`)) ?? '').split('\0')
  return basename(program) === 'postgres' && args.includes(cluster)
}

/**
 * Removes lock files that PostgreSQL would attribute to a live server: empty ones, and those whose pid now belongs to another program (usual
 * in containers, where pids start low each time). PostgreSQL itself removes those of dead processes.
 */
export async function discardStaleLocks(cluster: string, socketLock: string): Promise<void> {
  for (const file of [join(cluster, 'postmaster.pid'), socketLock]) {
    const text = await readText(file)
    const misleading =
      text?.trim() === '' ? await isOlderThanStart(file) : text !== undefined && (await belongsToAnotherProgram(text, cluster))
    if (misleading) await discard(file, text ?? '')
  }
}

/** A postmaster that is starting creates its file empty and fills it at once. */
async function isOlderThanStart(file: string): Promise<boolean> {
  const found = await stat(file).catch(() => undefined)
  return found !== undefined && Date.now() - found.mtimeMs > FILLED_WITHIN_MS
}

async function belongsToAnotherProgram(text: string, cluster: string): Promise<boolean> {
  const pid = Math.abs(Number.parseInt(text, 10))
  return isAlive(pid) && !(await isPostmasterOf(pid, cluster))
}

/** Moves the file away before the check, and moves it back if a postmaster wrote it in between. */
async function discard(file: string, judged: string): Promise<void> {
  const aside = `${file}.stale-${process.pid}`
  try {
    await rename(file, aside)
    if ((await readText(aside)) !== judged) await link(aside, file)
  } catch (error) {
    if (!['ENOENT', 'EEXIST'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error
  } finally {
    await rm(aside, { force: true })
  }
}

async function readText(file: string): Promise<string | undefined> {
  return await readFile(file, 'utf8').catch(() => undefined)
}
