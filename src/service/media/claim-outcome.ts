// Outcomes of claimed post-call work. A claim without one means that its process ended during the work.
import { retryWhileUnreachable } from '../db/retry-while-unreachable.ts'

/** Work that ended its process this many times is given up: it may end every process that tries it. */
export const MOST_UNFINISHED = 5

/** A database outage shorter than this does not count as a failure. It is shorter than the rest of the lease. */
const OUTAGE_MS = 20_000

type Outcome = {
  readonly write: () => Promise<void>
  /** Uncounts the claim, and changes nothing else: after a long outage another process may hold the work. */
  readonly uncount: () => Promise<void>
  readonly stopping: AbortSignal
}

/** Writes the outcome of a claim. In an outage the lease expires and the work is claimed again, so only the count is corrected afterwards. */
export async function writeOutcome({ write, uncount, stopping }: Outcome): Promise<void> {
  await retryWhileUnreachable(write, stopping.aborted ? 0 : OUTAGE_MS)
    .catch(() => retryWhileUnreachable(uncount, Number.POSITIVE_INFINITY, stopping))
    .catch(ignored)
}

/** This process stops while the database is unreachable: the claim counts as unfinished. */
function ignored(): void {}
