// Claims recordings that are due and processes a few at a time. A failed recording is retried with growing delays.
import type { Loop } from '../../kit/loop.ts'
import { claimRecording, type DueRecording, processAt, uncountRecordingClaim } from '../db/media/recordings.ts'
import { untilDue } from '../db/until-due.ts'
import { LEASES } from '../leases.ts'
import { giveUp, MOST_FAILURES } from './finish-recording.ts'
import { startLeasedQueue } from './leased-queue.ts'
import type { RecordingDeps } from './recording-job.ts'
import { processRecording } from './recording-steps.ts'
import { isDiskFull } from './retry-later.ts'
import type { WorkAhead } from './work-ahead.ts'

/** How soon to look again for a recording that is not in the store yet. */
const UPLOAD_WAIT_SECONDS = 10

/** As the audio of an hour takes, or the MP4 of a quarter of an hour. */
const SHORT_SECONDS = 240

export type RecordingQueueOptions = RecordingDeps & {
  /** Besides a short one. */
  readonly atOnce: number
  readonly ahead: Pick<WorkAhead, 'yieldTo'>
}

export function startRecordingQueue(options: RecordingQueueOptions): Loop {
  const { db, log, atOnce, folder, ahead } = options
  return startLeasedQueue<DueRecording>({
    label: 'recording',
    failureLevel: 'error',
    advice: '; try emissary recordings retry',
    log,
    lease: LEASES.recording,
    atOnce,
    shortSeconds: SHORT_SECONDS,
    untilDueMs: () => untilDue(db, 'recordings'),
    claim: (claim) => claimRecording(db, claim),
    renew: (bot, seconds) => processAt(db, bot.id, seconds, 'none'),
    async work(bot, stopping) {
      const outcome = await ahead.yieldTo(bot.id, () => processRecording(options, bot, stopping))
      if (outcome === 'waits') await processAt(db, bot.id, UPLOAD_WAIT_SECONDS, 'not_uploaded')
    },
    delay: (bot, seconds) => processAt(db, bot.id, seconds, 'uncounted'),
    retry: (bot, seconds) => processAt(db, bot.id, seconds, 'failed'),
    uncount: (bot) => uncountRecordingClaim(db, bot.id),
    retrySeconds: (failures) => (failures < MOST_FAILURES ? 10 * 2 ** failures : null),
    giveUp: (bot, failures) =>
      giveUp(options, bot, { code: 'processing_failed', message: `The recording could not be processed in ${failures} tries` }),
    giveUpUnfinished: (bot) =>
      giveUp(options, bot, {
        code: 'processing_crashed',
        message: `The service ended ${bot.unfinished} times while it processed the recording`,
      }),
    isDelayed: () => isDiskFull(folder),
    factsOf: (bot) => ({ botId: bot.id }),
  })
}
