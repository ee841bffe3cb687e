// Claims transcription runs that are due, a few at a time. The lease of a crashed worker expires, so another one claims its run.

import { startDueWork } from '../../../kit/due-work.ts'
import type { Logger } from '../../../kit/log.ts'
import type { Loop } from '../../../kit/loop.ts'
import { SpeechFailed } from '../../../speech/provider.ts'
import {
  claimTranscriptions,
  type DueTranscription,
  transcribeAfterFailure,
  transcribeAt,
  transcribeUncounted,
  uncountTranscriptionClaim,
} from '../../db/transcriptions.ts'
import { isUnreachable } from '../../db/unreachable.ts'
import { untilDue } from '../../db/until-due.ts'
import { LEASES, whileRenewed } from '../../leases.ts'
import { MOST_UNFINISHED, writeOutcome } from '../claim-outcome.ts'
import { RetryLater } from '../retry-later.ts'
import { timedStep } from '../timed-step.ts'
import { giveUpTranscription, type TranscribeDeps, transcribe } from './transcribe.ts'

const LOOK_EVERY_MS = 500
/** Most runs wait for a vendor's server. Native runs share the worker processes. */
const AT_ONCE = 4
/** After this many failures the bot completes without this transcript. */
const MOST_FAILURES = 4
const RETRY_SECONDS = 5
/** How soon to retry after a failure of the store. There is no limit on these retries. */
const DELAY_SECONDS = 10
/** A hanging provider fails the try after this time, so that the bot completes eventually. */
const LONGEST_TRY_MS = 6 * 3_600_000

export type TranscriptionQueueOptions = TranscribeDeps & { readonly log: Logger }

export function startTranscriptionQueue(options: TranscriptionQueueOptions): Loop {
  const { db, log } = options
  return startDueWork({
    ...{ atOnce: AT_ONCE, lookEveryMs: LOOK_EVERY_MS },
    untilDueMs: () => untilDue(db, 'transcriptions'),
    claim: (limit) => claimTranscriptions(db, { limit, leaseSeconds: LEASES.transcription.seconds }),
    workAt: (run, stopping) =>
      whileRenewed(
        LEASES.transcription,
        (seconds) => transcribeAt(db, run.id, seconds),
        () => workAt(options, run, stopping),
      ),
    onError: (error) => log.error({ err: error }, 'due transcriptions could not be claimed from the database'),
  })
}

/** A run that was interrupted by a shutdown is due again at once. One that ended its process too often is not tried. */
async function workAt(options: TranscriptionQueueOptions, run: DueTranscription, stopping: AbortSignal): Promise<void> {
  const { db } = options
  try {
    if (run.unfinished >= MOST_UNFINISHED) return await giveUpUnfinished(options, run)
    const signal = AbortSignal.any([stopping, AbortSignal.timeout(LONGEST_TRY_MS)])
    await timedStep(options, run.botId, 'transcription', () => transcribe(options, run, signal))
  } catch (error) {
    const write = () => (stopping.aborted ? transcribeUncounted(db, run.id, 0) : afterFailure(options, run, error))
    await writeOutcome({ write, uncount: () => uncountTranscriptionClaim(db, run.id), stopping })
  }
}

async function giveUpUnfinished(options: TranscriptionQueueOptions, run: DueTranscription): Promise<void> {
  const facts = { botId: run.botId, transcriptId: run.id, unfinished: run.unfinished }
  options.log.error(facts, 'a transcription is not tried again: the service ended too often during its work')
  await giveUpTranscription(options, run, `${run.provider}: the service ended ${run.unfinished} times while it transcribed the recording`)
}

async function afterFailure(options: TranscriptionQueueOptions, run: DueTranscription, error: unknown): Promise<void> {
  const failures = run.failures + 1
  const facts = { err: error, botId: run.botId, transcriptId: run.id, failures }
  if (error instanceof RetryLater || isUnreachable(error)) {
    options.log.warn(facts, 'transcription delayed: the store or the database is unreachable')
    return transcribeUncounted(options.db, run.id, DELAY_SECONDS)
  }
  options.log.warn(facts, 'transcription failed')
  if (failures < MOST_FAILURES && !isFinal(error)) return transcribeAfterFailure(options.db, run.id, RETRY_SECONDS * 3 ** (failures - 1))
  // Only a provider's message is for the caller: other errors may name folders of the server.
  await giveUpTranscription(
    options,
    run,
    error instanceof SpeechFailed ? error.message : `${run.provider}: the recording could not be transcribed`,
  )
}

function isFinal(error: unknown): boolean {
  return error instanceof SpeechFailed && !error.retryable
}
