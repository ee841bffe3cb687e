// Works at recordings that are due, a few at a time: a row is its own queue, and whoever dies gives it back.

import { startDueWork } from '../../kit/due-work.ts'
import type { Logger } from '../../kit/log.ts'
import type { Loop } from '../../kit/loop.ts'
import { whileUnreachable } from '../db/patience.ts'
import { claimRecordings, type DueRecording, processAt, processUncounted } from '../db/recordings.ts'
import { isUnreachable } from '../db/unreachable.ts'
import { isDiskFull, NotNow } from './not-now.ts'
import { giveUp, LAST_TRY, type ProcessDeps, processRecording } from './process.ts'

const LEASE_SECONDS = 60
const RENEW_MS = 20_000
const LOOK_EVERY_MS = 500
/** A recording that is still on its way to the store is not waited for long. */
const UPLOAD_WAIT_SECONDS = 10
/** A store that is away, or a full disk, is asked again this often, for as long as it takes. */
const DELAY_SECONDS = 10
/** A short outage of the database is waited for, so that it counts for no try. Shorter than what is left of the lease. */
const OUTAGE_MS = 20_000

export type ProcessingOptions = ProcessDeps & { readonly log: Logger; readonly atOnce: number }

export function startProcessing(options: ProcessingOptions): Loop {
  const { db, log, atOnce } = options
  return startDueWork({
    ...{ atOnce, lookEveryMs: LOOK_EVERY_MS },
    claim: (limit) => claimRecordings(db, { limit, leaseSeconds: LEASE_SECONDS }),
    workAt: (bot, stopping) => processOne(options, bot, stopping),
    onError: (error) => log.error({ err: error }, 'recordings could not be claimed'),
  })
}

/** What fails is tried again, later each time; what was interrupted by a stop is due again at once. */
async function processOne(options: ProcessingOptions, bot: DueRecording, signal: AbortSignal): Promise<void> {
  const { db } = options
  const renewal = setInterval(() => void processAt(db, bot.id, LEASE_SECONDS).catch(ignored), RENEW_MS)
  try {
    const outcome = await processRecording(options, bot, signal)
    if (outcome === 'waits') await processAt(db, bot.id, UPLOAD_WAIT_SECONDS)
  } catch (error) {
    const after = () => (signal.aborted ? processAt(db, bot.id, 0) : afterFailure(options, bot, error))
    await whileUnreachable(after, signal.aborted ? 0 : OUTAGE_MS).catch(ignored)
  } finally {
    clearInterval(renewal)
  }
}

async function afterFailure(options: ProcessingOptions, bot: DueRecording, error: unknown): Promise<void> {
  const facts = { err: error, botId: bot.id, tries: bot.tries }
  if (error instanceof NotNow || isUnreachable(error) || (await isDiskFull(options.folder))) {
    options.log.warn(facts, 'a recording waits until it can be processed')
    return processUncounted(options.db, bot.id, DELAY_SECONDS)
  }
  options.log.error(facts, 'a recording could not be processed')
  if (bot.tries >= LAST_TRY) await giveUp(options, bot)
  else await processAt(options.db, bot.id, 10 * 2 ** bot.tries)
}

/** The database is away: the lease ends by itself, and the recording is taken up again. */
function ignored(): void {}
