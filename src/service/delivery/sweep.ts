// Deletes events, and the log of their deliveries, after thirty days.
import type { Logger } from '../../kit/log.ts'
import { type Loop, startLoop } from '../../kit/loop.ts'
import type { Db } from '../db/database.ts'
import { sweepEvents } from '../db/delivery/delivery-log.ts'

type SweepDeps = { readonly db: Db; readonly log: Logger; readonly now: () => Date }

const KEPT_MS = 30 * 24 * 60 * 60_000
const LOOK_EVERY_MS = 60 * 60_000
/** Small enough not to delay other statements. */
const AT_ONCE = 1_000
const SOON_MS = 100

export function startSweep({ db, log, now }: SweepDeps): Loop {
  return startLoop({
    async work() {
      const swept = await sweepEvents(db, { before: new Date(now().getTime() - KEPT_MS), most: AT_ONCE })
      return swept === AT_ONCE ? SOON_MS : LOOK_EVERY_MS
    },
    onError: (error) => log.error({ err: error }, 'old deliveries could not be deleted; it is tried again'),
    retryMs: 60_000,
  })
}
