// Earlier processes with this DATA_DIR, which have ended. Their bots have left, so a node that was killed and starts again need not ask itself.
import { readFile, rename, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { unless } from '../../../kit/system-errors.ts'

/** The bots of older ones are long gone. */
const MOST = 20

/** `host`: two machines or containers that share the folder by mistake cannot see each other's processes. */
type Started = { readonly id: string; readonly pid: number; readonly host: string }

/** Notes this process, and returns the ids of nodes whose processes had this folder before and run no more. */
export async function notePredecessors(folder: string, nodeId: string): Promise<ReadonlySet<string>> {
  const file = join(folder, 'nodes.json')
  const text = await readFile(file, 'utf8').catch(unless('ENOENT'))
  const before = text ? startedIn(text) : []
  await writeFile(`${file}.part`, JSON.stringify([...before, { id: nodeId, pid: process.pid, host: hostname() }].slice(-MOST)))
  await rename(`${file}.part`, file)
  // A container gives each of its processes in turn the same number.
  const here = before.filter(({ host }) => host === hostname())
  return new Set(here.filter(({ pid }) => pid === process.pid || !isRunning(pid)).map(({ id }) => id))
}

/** A file that was damaged names no predecessors: this node then asks, as any other. */
function startedIn(text: string): readonly Started[] {
  try {
    return JSON.parse(text) as readonly Started[]
  } catch {
    return []
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    // A process of another user cannot be signalled.
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
