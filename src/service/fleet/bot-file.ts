// Reads what a host has written. The host's browser meets strangers, and the service may be root: a link in place of a file would have the
// service read what the host may not.
import { constants } from 'node:fs'
import { type FileHandle, open, readlink } from 'node:fs/promises'

/** A pipe would keep the opening waiting. */
const FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK

/** There is no such file, or a link is on the way to it. */
const ABSENT: readonly unknown[] = ['ENOENT', 'ENOTDIR', 'ELOOP', 'ENXIO']

/** Works with a file whose path ends in `tail` also when all links are followed. Null where there is no such file. */
export async function withBotFile<Result>(file: string, tail: string, work: (path: string) => Promise<Result>): Promise<Result | null> {
  const handle = await open(file, FLAGS).catch((error: NodeJS.ErrnoException) => {
    if (ABSENT.includes(error.code)) return null
    throw error
  })
  if (!handle) return null
  try {
    return (await isAt(handle, tail)) ? await work(`/proc/self/fd/${handle.fd}`) : null
  } finally {
    await handle.close()
  }
}

async function isAt(handle: FileHandle, tail: string): Promise<boolean> {
  const [found, path] = await Promise.all([handle.stat(), readlink(`/proc/self/fd/${handle.fd}`)])
  // Reading a folder fails, as it should.
  return (found.isFile() || found.isDirectory()) && path.endsWith(tail)
}
