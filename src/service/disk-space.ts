// Watches free space in DATA_DIR. Without enough of it no bots are accepted, so that running ones can be recorded.
import { statfs } from 'node:fs/promises'
import { ServiceError } from '../domain/errors.ts'
import type { Logger } from '../kit/log.ts'
import { startLoop } from '../kit/loop.ts'

const MEASURE_EVERY_MS = 3_000
const MEGABYTE = 1024 * 1024

export type DiskOptions = { readonly folder: string; readonly leastMegabytes: number; readonly log: Logger }

export async function watchDiskSpace({ folder, leastMegabytes, log }: DiskOptions) {
  let isShort = false
  const measure = async (): Promise<number> => {
    const { bavail, bsize } = await statfs(folder)
    const freeMegabytes = Math.floor((bavail * bsize) / MEGABYTE)
    const before = isShort
    isShort = freeMegabytes < leastMegabytes
    if (isShort && !before) log.error({ folder, freeMegabytes, leastMegabytes }, 'the disk is almost full: new bots are rejected')
    if (before && !isShort) log.warn({ folder, freeMegabytes }, 'the disk has enough free space again')
    return MEASURE_EVERY_MS
  }
  await measure()
  const loop = startLoop({
    work: measure,
    onError: (error) => log.error({ err: error, folder }, 'could not measure free disk space'),
    retryMs: MEASURE_EVERY_MS,
  })
  return {
    /** An error message while there is too little space, else null. */
    problem: () => (isShort ? `Less than ${leastMegabytes} MB are free in DATA_DIR. Free some space, or lower MIN_FREE_DISK_MB.` : null),
    /** Throws `disk_full` while there is too little space. */
    require(): void {
      if (isShort) throw new ServiceError('disk_full')
    },
    stop: () => loop.stop(),
  }
}
