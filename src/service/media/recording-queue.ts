// Claims recordings that are due and processes a few at a time. The lease of a crashed worker expires, so another one claims its recording.

import { startDueWork } from '../../kit/due-work.ts'
import type { Loop } from '../../kit/loop.ts'
import {
  claimRecordings,
  type DueRecording,
  processAfterFailure,
  processAt,
  processUncounted,
  processWhenUploaded,
  uncountRecordingClaim,
} from '../db/recordings.ts'
import { isUnreachable } from '../db/unreachable.ts'
import { untilDue } from '../db/until-due.ts'
import { LEASES, whileRenewed } from '../leases.ts'
import { MOST_UNFINISHED, writeOutcome } from './claim-outcome.ts'
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

/**
 * A failed recording is retried with growing delays. One that was interrupted by a shutdown is due again at once. One that
 * ended its process too often is not tried.
 */
async function processOne(options: RecordingQueueOptions, bot: DueRecording, signal: AbortSignal): Promise<void> {
  const { db } = options
  try {
    if (bot.unfinished >= MOST_UNFINISHED) return await giveUpUnfinished(options, bot)
    const outcome = await options.ahead.yieldTo(bot.id, () => processRecording(options, bot, signal))
    if (outcome === 'waits') await processWhenUploaded(db, bot.id, UPLOAD_WAIT_SECONDS)
  } catch (error) {
    const write = () => (signal.aborted ? processUncounted(db, bot.id, 0) : afterFailure(options, bot, error))
    await writeOutcome({ write, uncount: () => uncountRecordingClaim(db, bot.id), stopping: signal })
  }
}

async function giveUpUnfinished(options: RecordingQueueOptions, bot: DueRecording): Promise<void> {
  const facts = { botId: bot.id, unfinished: bot.unfinished }
  options.log.error(facts, 'a recording is not processed again: the service ended too often during its work; try emissary recordings retry')
  await giveUp(options, bot, {
    code: 'processing_crashed',
    message: `The service ended ${bot.unfinished} times while it processed the recording`,
  })
}

async function afterFailure(options: RecordingQueueOptions, bot: DueRecording, error: unknown): Promise<void> {
  const failures = bot.failures + 1
  const facts = { err: error, botId: bot.id, failures }
  if (error instanceof RetryLater || isUnreachable(error) || (await isDiskFull(options.folder))) {
    options.log.warn(facts, 'recording delayed: the store or the database is unreachable, or the disk is full')
    return processUncounted(options.db, bot.id, DELAY_SECONDS)
  }
  options.log.error(facts, 'recording could not be processed')
  if (failures >= MOST_FAILURES)
    await giveUp(options, bot, { code: 'processing_failed', message: `The recording could not be processed in ${failures} tries` })
  else await processAfterFailure(options.db, bot.id, 10 * 2 ** failures)
}
