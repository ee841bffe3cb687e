// Claims recordings that are due and processes a few at a time. The lease of a crashed worker expires, so another one claims its recording.

import { startDueWork } from '../../kit/due-work.ts'
import type { Loop } from '../../kit/loop.ts'
import { claimRecordings, type DueRecording, processAfterFailure, processAt, processUncounted } from '../db/recordings.ts'
import { retryWhileUnreachable } from '../db/retry-while-unreachable.ts'
import { isUnreachable } from '../db/unreachable.ts'
import { untilDue } from '../db/until-due.ts'
import { LEASES, whileRenewed } from '../leases.ts'
import { giveUp, MOST_FAILURES } from './finish-recording.ts'
import type { RecordingDeps } from './recording-job.ts'
import { processRecording } from './recording-steps.ts'
import { isDiskFull, RetryLater } from './retry-later.ts'
import type { WorkAhead } from './work-ahead.ts'

const LOOK_EVERY_MS = 500
/** How soon to look again for a recording that is not in the store yet. */
const UPLOAD_WAIT_SECONDS = 10
/** How soon to retry after a failure of the store or a full disk. There is no limit on these retries. */
const DELAY_SECONDS = 10
/** A database outage shorter than this does not count as a failure. It is shorter than the rest of the lease. */
const OUTAGE_MS = 20_000

export type RecordingQueueOptions = RecordingDeps & {
  readonly atOnce: number
  readonly ahead: Pick<WorkAhead, 'yieldTo'>
}

export function startRecordingQueue(options: RecordingQueueOptions): Loop {
  const { db, log, atOnce } = options
  return startDueWork({
    ...{ atOnce, lookEveryMs: LOOK_EVERY_MS },
    untilDueMs: () => untilDue(db, 'recordings'),
    claim: (limit) => claimRecordings(db, { limit, leaseSeconds: LEASES.recording.seconds }),
    workAt: (bot, stopping) =>
      whileRenewed(
        LEASES.recording,
        (seconds) => processAt(db, bot.id, seconds),
        () => processOne(options, bot, stopping),
      ),
    onError: (error) => log.error({ err: error }, 'due recordings could not be claimed from the database'),
  })
}

/** A failed recording is retried with growing delays. One that was interrupted by a shutdown is due again at once. */
async function processOne(options: RecordingQueueOptions, bot: DueRecording, signal: AbortSignal): Promise<void> {
  const { db } = options
  try {
    const outcome = await options.ahead.yieldTo(bot.id, () => processRecording(options, bot, signal))
    if (outcome === 'waits') await processAt(db, bot.id, UPLOAD_WAIT_SECONDS)
  } catch (error) {
    const after = () => (signal.aborted ? processUncounted(db, bot.id, 0) : afterFailure(options, bot, error))
    await retryWhileUnreachable(after, signal.aborted ? 0 : OUTAGE_MS).catch(ignored)
  }
}

async function afterFailure(options: RecordingQueueOptions, bot: DueRecording, error: unknown): Promise<void> {
  const failures = bot.failures + 1
  const facts = { err: error, botId: bot.id, failures }
  if (error instanceof RetryLater || isUnreachable(error) || (await isDiskFull(options.folder))) {
    options.log.warn(facts, 'recording delayed: the store or the database is unreachable, or the disk is full')
    return processUncounted(options.db, bot.id, DELAY_SECONDS)
  }
  options.log.error(facts, 'recording could not be processed')
  if (failures >= MOST_FAILURES) await giveUp(options, bot)
  else await processAfterFailure(options.db, bot.id, 10 * 2 ** failures)
}

/** The database is unreachable: the lease expires, and the recording is claimed again. */
function ignored(): void {}
