// Reads files that a worker wrote. The worker's browser runs untrusted pages, and the service may be root: a symbolic link in place of a file
// would make the service read a file that the worker may not read.
import { constants } from 'node:fs'
import { type FileHandle, open, readlink } from 'node:fs/promises'
import { unless } from '../../../kit/system-errors.ts'

/** Without O_NONBLOCK, opening a pipe would block. */
const FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK

/** No such file, or a symbolic link in its path. */
const ABSENT = ['ENOENT', 'ENOTDIR', 'ELOOP', 'ENXIO']

/** Runs the work on a file whose resolved path ends in `tail`. Null: there is no such file. */
export async function withBotFile<Result>(file: string, tail: string, work: (path: string) => Promise<Result>): Promise<Result | null> {
  const handle = await open(file, FLAGS).catch(unless(...ABSENT))
  if (!handle) return null
  try {
    return (await isAt(handle, tail)) ? await work(`/proc/self/fd/${handle.fd}`) : null
  } finally {
    await handle.close()
  }
}

async function isAt(handle: FileHandle, tail: string): Promise<boolean> {
  const [found, path] = await Promise.all([handle.stat(), readlink(`/proc/self/fd/${handle.fd}`)])
  // Reading a folder fails later, as it should.
  return (found.isFile() || found.isDirectory()) && path.endsWith(tail)
}
