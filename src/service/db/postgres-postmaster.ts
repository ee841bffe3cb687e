// The running database server as others left it: reads postmaster.pid, and tells our postmaster from a stranger with its number.
import { link, readFile, rename, rm, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'

export interface Postmaster {
  readonly pid: number
  readonly socketDirectory: string
  readonly port: number
  /** False while it starts, recovers or goes down. */
  readonly ready: boolean
}

/** Lines of postmaster.pid, counted from 0. */
const LINE = { pid: 0, port: 3, socketDirectory: 4, status: 7 }
const FILLED_WITHIN_MS = 2_000

/** The live postmaster of this cluster, once it has written where it listens. */
export async function findPostmaster(cluster: string): Promise<Postmaster | undefined> {
  const lines = ((await readText(join(cluster, 'postmaster.pid'))) ?? '').split('\n')
  const pid = Number(lines[LINE.pid])
  const socketDirectory = lines[LINE.socketDirectory] ?? ''
  if (socketDirectory === '' || !(await isPostmasterOf(pid, cluster))) return undefined
  return { pid, port: Number(lines[LINE.port]), socketDirectory, ready: lines[LINE.status]?.trim() === 'ready' }
}

/** By its command line, which the kernel shows to everybody; a dead process that nobody reaped has none. */
export async function isPostmasterOf(pid: number, cluster: string): Promise<boolean> {
  if (!(pid > 0)) return false
  const [program = '', ...args] = ((await readText(`/proc/${pid}/cmdline`)) ?? '').split('\0')
  return basename(program) === 'postgres' && args.includes(cluster)
}

export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/**
 * Moves away lock files that PostgreSQL would take for a live server's: empty ones, and those whose number now belongs to another
 * program (usual in containers, where numbers start low each time). Files of dead processes PostgreSQL clears itself.
 */
export async function discardStaleLocks(cluster: string, socketLock: string): Promise<void> {
  for (const file of [join(cluster, 'postmaster.pid'), socketLock]) {
    const text = await readText(file)
    const misleading = text?.trim() === '' ? await isOld(file) : text !== undefined && (await belongsToStranger(text, cluster))
    if (misleading) await discard(file, text ?? '')
  }
}

/** A postmaster that is just starting creates its file empty and fills it at once. */
async function isOld(file: string): Promise<boolean> {
  const found = await stat(file).catch(() => undefined)
  return found !== undefined && Date.now() - found.mtimeMs > FILLED_WITHIN_MS
}

async function belongsToStranger(text: string, cluster: string): Promise<boolean> {
  const pid = Math.abs(Number.parseInt(text, 10))
  return isAlive(pid) && !(await isPostmasterOf(pid, cluster))
}

/** Takes the file away first and looks at it then: a postmaster that started in between gets its file back. */
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
