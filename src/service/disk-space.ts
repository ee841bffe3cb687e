// Room in DATA_DIR, measured every few seconds: without it nothing new is begun, so that what runs can be kept.
import { statfs } from 'node:fs/promises'
import { ServiceError } from '../domain/errors.ts'
import type { Logger } from '../kit/log.ts'
import { startLoop } from '../kit/loop.ts'

const MEASURE_EVERY_MS = 3_000
const MEGABYTE = 1024 * 1024

export type DiskSpace = {
  /** A sentence while there is too little room, else null. */
  problem(): string | null
  /** Throws `disk_full` while there is too little room. */
  require(): void
  stop(): Promise<void>
}

export type DiskOptions = { readonly folder: string; readonly leastMegabytes: number; readonly log: Logger }

export async function watchDiskSpace({ folder, leastMegabytes, log }: DiskOptions): Promise<DiskSpace> {
  let isShort = false
  const measure = async (): Promise<number> => {
    const { bavail, bsize } = await statfs(folder)
    const freeMegabytes = Math.floor((bavail * bsize) / MEGABYTE)
    const before = isShort
    isShort = freeMegabytes < leastMegabytes
    if (isShort && !before) log.error({ folder, freeMegabytes, leastMegabytes }, 'the disk is almost full: no new bots are accepted')
    if (before && !isShort) log.warn({ folder, freeMegabytes }, 'the disk has room again')
    return MEASURE_EVERY_MS
  }
  await measure()
  const loop = startLoop({
    work: measure,
    onError: (error) => log.error({ err: error, folder }, 'free disk space could not be measured'),
    retryMs: MEASURE_EVERY_MS,
  })
  return {
    problem: () => (isShort ? `Less than ${leastMegabytes} MB are free in DATA_DIR. Make room, or lower MIN_FREE_DISK_MB.` : null),
    require() {
      if (isShort) throw new ServiceError('disk_full')
    },
    stop: () => loop.stop(),
  }
}
