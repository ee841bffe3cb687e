// Claims transcription runs that are due, a few at a time.
import type { Logger } from '../../../kit/log.ts'
import type { Loop } from '../../../kit/loop.ts'
import { SpeechFailed } from '../../../speech/provider.ts'
import { claimTranscription, type DueTranscription, transcribeAt, uncountTranscriptionClaim } from '../../db/media/transcriptions.ts'
import { untilDue } from '../../db/until-due.ts'
import { LEASES } from '../../leases.ts'
import { startLeasedQueue } from '../leased-queue.ts'
import { timedStep } from '../timed-step.ts'
import { giveUpTranscription, type TranscribeDeps, transcribe } from './transcribe.ts'

/** Most runs wait for a vendor's server. Native runs share the recogniser processes. */
const AT_ONCE = 4
/** As the transcript of a quarter of an hour takes. */
const SHORT_SECONDS = 60
/** After this many failures the bot completes without this transcript. */
const MOST_FAILURES = 4
const RETRY_SECONDS = 5
/** A hanging provider fails the try after this time, so that the bot completes eventually. */
const LONGEST_TRY_MS = 6 * 3_600_000

export type TranscriptionQueueOptions = TranscribeDeps & { readonly log: Logger }

export function startTranscriptionQueue(options: TranscriptionQueueOptions): Loop {
  const { db, log } = options
  return startLeasedQueue<DueTranscription>({
    label: 'transcription',
    failureLevel: 'warn',
    log,
    lease: LEASES.transcription,
    atOnce: AT_ONCE,
    shortSeconds: SHORT_SECONDS,
    untilDueMs: () => untilDue(db, 'transcriptions'),
    claim: (claim) => claimTranscription(db, claim),
    renew: (run, seconds) => transcribeAt(db, run.id, seconds, 'none'),
    async work(run, stopping) {
      const signal = AbortSignal.any([stopping, AbortSignal.timeout(LONGEST_TRY_MS)])
      await timedStep(options, run.botId, 'transcription', () => transcribe(options, run, signal))
    },
    delay: (run, seconds) => transcribeAt(db, run.id, seconds, 'uncounted'),
    retry: (run, seconds) => transcribeAt(db, run.id, seconds, 'failed'),
    uncount: (run) => uncountTranscriptionClaim(db, run.id),
    retrySeconds: (failures, error) => (failures < MOST_FAILURES && !isFinal(error) ? RETRY_SECONDS * 3 ** (failures - 1) : null),
    // Only a provider's message is for the caller: other errors may name folders of the server.
    giveUp: (run, _, error) =>
      giveUpTranscription(
        options,
        run,
        error instanceof SpeechFailed ? error.message : `${run.provider}: the recording could not be transcribed`,
      ),
    giveUpUnfinished: (run) =>
      giveUpTranscription(options, run, `${run.provider}: the service ended ${run.unfinished} times while it transcribed the recording`),
    factsOf: (run) => ({ botId: run.botId, transcriptId: run.id }),
  })
}

function isFinal(error: unknown): boolean {
  return error instanceof SpeechFailed && !error.retryable
}
