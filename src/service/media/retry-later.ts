// Temporary conditions that delay post-call work without counting as a try: an unreachable store or a full disk.
import { statfs } from 'node:fs/promises'

export class RetryLater extends Error {
  override readonly name = 'RetryLater'
}

/** Wraps every call of the object store. */
export async function retryLaterOnError<Result>(work: Promise<Result>): Promise<Result> {
  return work.catch((cause: unknown) => {
    throw new RetryLater('The object store failed. The work is tried again later.', { cause })
  })
}

const LEAST_BYTES = 32 * 1024 * 1024

/** Checked after any failure, because ffmpeg may exit with 0 on a full disk and leave an incomplete file. */
export async function isDiskFull(folder: string): Promise<boolean> {
  const { bavail, bsize } = await statfs(folder)
  return bavail * bsize < LEAST_BYTES
}
