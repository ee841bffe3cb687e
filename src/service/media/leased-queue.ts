// A queue of work after the call. A due row is claimed for a lease, which is renewed during the work: the lease of a crashed process
// expires, so another one claims the row. Every claim gets an outcome. A claim without one means that its process ended during the work.
// One place is kept for short work, so that none of it waits for long work.
import { startDueWork } from '../../kit/due-work.ts'
import type { Logger } from '../../kit/log.ts'
import type { Loop } from '../../kit/loop.ts'
import type { WorkClaim } from '../db/media/turns.ts'
import { retryWhileUnreachable } from '../db/retry-while-unreachable.ts'
import { isUnreachable } from '../db/unreachable.ts'
import { type RenewedLease, whileRenewed } from '../leases.ts'
import { RetryLater } from './retry-later.ts'

/** Work that ended its process this many times is given up: it may end every process that tries it. */
export const MOST_UNFINISHED = 5

const LOOK_EVERY_MS = 500
/** How soon to retry after a failure of the store or a full disk. There is no limit on these retries. */
const DELAY_SECONDS = 10
/** A database outage shorter than this does not count as a failure. It is shorter than the rest of the lease. */
const OUTAGE_MS = 20_000

/** `failures` and `unfinished` count the earlier claims that failed, and those without an outcome. */
type LeasedRow = { readonly failures: number; readonly unfinished: number; readonly workSeconds: number }

export type LeasedQueue<Row extends LeasedRow> = {
  /** One row in the log, such as `recording`. */
  readonly label: string
  readonly failureLevel: 'warn' | 'error'
  /** What an operator can do about given up work. */
  readonly advice?: string
  readonly log: Logger
  readonly lease: RenewedLease
  /** The most rows in work, besides a short one. */
  readonly atOnce: number
  /** Work up to this estimate is short. */
  readonly shortSeconds: number
  readonly untilDueMs: () => Promise<number>
  /** Null: nothing is due. */
  readonly claim: (claim: WorkClaim) => Promise<Row | null>
  readonly renew: (row: Row, seconds: number) => Promise<void>
  readonly work: (row: Row, stopping: AbortSignal) => Promise<void>
  /** The work is due again after `seconds`, and the claim does not count. */
  readonly delay: (row: Row, seconds: number) => Promise<void>
  /** The same, after a failure. */
  readonly retry: (row: Row, seconds: number) => Promise<void>
  /** Uncounts the claim, and changes nothing else: after a long outage another process may hold the work. */
  readonly uncount: (row: Row) => Promise<void>
  /** Null: the work is not tried again. */
  readonly retrySeconds: (failures: number, error: unknown) => number | null
  readonly giveUp: (row: Row, failures: number, error: unknown) => Promise<void>
  readonly giveUpUnfinished: (row: Row) => Promise<void>
  /** True: an error has a passing cause on this machine. */
  readonly isDelayed?: () => Promise<boolean>
  readonly factsOf: (row: Row) => { readonly botId: string }
}

export function startLeasedQueue<Row extends LeasedRow>(queue: LeasedQueue<Row>): Loop {
  const { label, log, lease, atOnce, shortSeconds, untilDueMs } = queue
  return startDueWork<Row>({
    atOnce: atOnce + 1,
    // The next row is of another workspace.
    batch: 1,
    lookEveryMs: LOOK_EVERY_MS,
    untilDueMs,
    async claim(_, running) {
      const long = running.filter(({ workSeconds }) => workSeconds > shortSeconds)
      const row = await queue.claim({ leaseSeconds: lease.seconds, mostSeconds: long.length < atOnce ? null : shortSeconds })
      return row ? [row] : []
    },
    workAt: (row, stopping) =>
      whileRenewed(
        lease,
        (seconds) => queue.renew(row, seconds),
        () => workAt(queue, row, stopping),
      ),
    onError: (error) => log.error({ err: error }, `due ${label}s could not be claimed from the database`),
  })
}

/** Work that was interrupted by a shutdown is due again at once. Work that ended its process too often is not tried. */
async function workAt<Row extends LeasedRow>(queue: LeasedQueue<Row>, row: Row, stopping: AbortSignal): Promise<void> {
  try {
    if (row.unfinished < MOST_UNFINISHED) return await queue.work(row, stopping)
    const facts = { ...queue.factsOf(row), unfinished: row.unfinished }
    const { label, advice = '' } = queue
    queue.log.error(facts, `${label} is not tried again: the service ended too often during its work${advice}`)
    await queue.giveUpUnfinished(row)
  } catch (error) {
    await writeOutcome(queue, row, error, stopping)
  }
}

/** In an outage the lease expires and the work is claimed again, so only the count is corrected afterwards. */
async function writeOutcome<Row extends LeasedRow>(
  queue: LeasedQueue<Row>,
  row: Row,
  error: unknown,
  stopping: AbortSignal,
): Promise<void> {
  const write = () => (stopping.aborted ? queue.delay(row, 0) : afterFailure(queue, row, error))
  const report = (cause: unknown) =>
    queue.log.error({ err: cause, ...queue.factsOf(row) }, `the outcome of a ${queue.label} could not be written`)
  try {
    await retryWhileUnreachable(write, stopping.aborted ? 0 : OUTAGE_MS)
  } catch (cause) {
    report(cause)
    await retryWhileUnreachable(() => queue.uncount(row), Number.POSITIVE_INFINITY, stopping).catch(report)
  }
}

async function afterFailure<Row extends LeasedRow>(queue: LeasedQueue<Row>, row: Row, error: unknown): Promise<void> {
  const { label, log } = queue
  const failures = row.failures + 1
  const facts = { err: error, ...queue.factsOf(row), failures }
  if (error instanceof RetryLater || isUnreachable(error) || (await queue.isDelayed?.())) {
    log.warn(facts, `${label} delayed: the store or the database is unreachable, or the disk is full`)
    return queue.delay(row, DELAY_SECONDS)
  }
  log[queue.failureLevel](facts, `${label} failed`)
  const seconds = queue.retrySeconds(failures, error)
  await (seconds === null ? queue.giveUp(row, failures, error) : queue.retry(row, seconds))
}
