// A folder for the files of one piece of work.
import { mkdtemp, rm } from 'node:fs/promises'

/** Makes a folder whose path begins with `prefix`, and removes it when the work has ended. */
export async function inTemporaryFolder<Result>(prefix: string, work: (folder: string) => Promise<Result>): Promise<Result> {
  const folder = await mkdtemp(prefix)
  try {
    return await work(folder)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
