// What is nobody's fault and passes: a store that is away, a disk that is full. Such work is delayed, never given up.
import { statfs } from 'node:fs/promises'

export class NotNow extends Error {
  override readonly name = 'NotNow'
}

/** For everything that is asked of the store. */
export async function ofStore<Result>(work: Promise<Result>): Promise<Result> {
  return work.catch((cause: unknown) => {
    throw new NotNow('The store did not do as it was asked.', { cause })
  })
}

const LEAST_BYTES = 32 * 1024 * 1024

/** Asked after a failure: ffmpeg may end well on a full disk and leave half a file, so that errors alone do not tell. */
export async function isDiskFull(folder: string): Promise<boolean> {
  const { bavail, bsize } = await statfs(folder)
  return bavail * bsize < LEAST_BYTES
}
