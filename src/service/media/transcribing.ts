// Works at transcriptions that are due, a few at a time: a run is its own queue, and whoever dies gives it back.

import { startDueWork } from '../../kit/due-work.ts'
import type { Logger } from '../../kit/log.ts'
import type { Loop } from '../../kit/loop.ts'
import { SpeechFailed } from '../../speech/provider.ts'
import { whileUnreachable } from '../db/patience.ts'
import { claimTranscriptions, type DueTranscription, transcribeAt, transcribeUncounted } from '../db/transcriptions.ts'
import { isUnreachable } from '../db/unreachable.ts'
import { NotNow } from './not-now.ts'
import { giveUpTranscription, type TranscribeDeps, transcribe } from './transcribe.ts'

const LEASE_SECONDS = 60
const RENEW_MS = 20_000
const LOOK_EVERY_MS = 500
/** Most of them wait for somebody else's server; those of this one share its processes. */
const AT_ONCE = 4
/** A provider that failed may do better later; after this many tries the bot is done without. */
const LAST_TRY = 4
const RETRY_SECONDS = 5
/** A store that is away is asked again this often, for as long as it takes. */
const DELAY_SECONDS = 10
/** A short outage of the database is waited for, so that it counts for no try. Shorter than what is left of the lease. */
const OUTAGE_MS = 20_000
/** However a provider hangs, the bot is done some day. */
const LONGEST_TRY_MS = 6 * 3_600_000

export type TranscribingOptions = TranscribeDeps & { readonly log: Logger }

export function startTranscribing(options: TranscribingOptions): Loop {
  const { db, log } = options
  return startDueWork({
    ...{ atOnce: AT_ONCE, lookEveryMs: LOOK_EVERY_MS },
    claim: (limit) => claimTranscriptions(db, { limit, leaseSeconds: LEASE_SECONDS }),
    workAt: (run, stopping) => workAt(options, run, stopping),
    onError: (error) => log.error({ err: error }, 'transcriptions could not be claimed'),
  })
}

/** What was interrupted by a stop is due again at once. */
async function workAt(options: TranscribingOptions, run: DueTranscription, stopping: AbortSignal): Promise<void> {
  const { db } = options
  const renewal = setInterval(() => void transcribeAt(db, run.id, LEASE_SECONDS).catch(ignored), RENEW_MS)
  try {
    await transcribe(options, run, AbortSignal.any([stopping, AbortSignal.timeout(LONGEST_TRY_MS)]))
  } catch (error) {
    const after = () => (stopping.aborted ? transcribeUncounted(db, run.id, 0) : afterFailure(options, run, error))
    await whileUnreachable(after, stopping.aborted ? 0 : OUTAGE_MS).catch(ignored)
  } finally {
    clearInterval(renewal)
  }
}

async function afterFailure(options: TranscribingOptions, run: DueTranscription, error: unknown): Promise<void> {
  const facts = { err: error, botId: run.botId, transcriptId: run.id, tries: run.tries }
  if (error instanceof NotNow || isUnreachable(error)) {
    options.log.warn(facts, 'a transcription waits for the store or the database')
    return transcribeUncounted(options.db, run.id, DELAY_SECONDS)
  }
  options.log.warn(facts, 'a transcription failed')
  if (run.tries < LAST_TRY && !isForGood(error)) return transcribeAt(options.db, run.id, RETRY_SECONDS * 3 ** (run.tries - 1))
  // Only what a provider says is meant for the caller; the rest may name folders of the server.
  await giveUpTranscription(
    options,
    run,
    error instanceof SpeechFailed ? error.message : `${run.provider}: the recording could not be transcribed`,
  )
}

function isForGood(error: unknown): boolean {
  return error instanceof SpeechFailed && !error.passing
}

/** The database is away: the lease ends by itself, and the run is taken up again. */
function ignored(): void {}
