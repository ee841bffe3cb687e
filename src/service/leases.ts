// Every lease of the service: how long a claim lasts, and how often its holder renews it. The claim of a dead holder lapses.

export const LEASES = {
  /**
   * A node that falls silent loses its bots. A lapse and the time to rejoin should take less than ten seconds together. A fresh claim is a
   * lease of the bot's own. The first renewals put the bot under the lease of its node, which lasts as long.
   */
  bot: { seconds: 7.5, renewEveryMs: 1_500 },
  /** The row with the address of a node. */
  node: { seconds: 8, renewEveryMs: 2_000 },
  recording: { seconds: 60, renewEveryMs: 20_000 },
  transcription: { seconds: 60, renewEveryMs: 20_000 },
  /** Not renewed: longer than the longest request. */
  delivery: { seconds: 12 },
  /** Renewed with each written page. Fetching a page with retries and writing it takes less. */
  calendarSync: { seconds: 120 },
  /** Not renewed: a deletion that did not finish is retried. */
  deletion: { seconds: 60 },
} as const

/**
 * A worker leaves its meetings by its own clock, this long after the last renewal was requested. The rest of the lease is for leaving, which
 * takes at most 1.25 s: another node may send the bot as soon as the lease has lapsed. So a session that lives was renewed less than 5.5 s ago,
 * and neither its bot's lease nor its node's can have lapsed.
 */
const HOLD_MS = 5_500

/** `requestedMs`: when the claim or its renewal was requested, on the machine's monotonic clock. */
export function holdUntil(requestedMs: number): number {
  return requestedMs + HOLD_MS
}

/** The time for leaving is the same as that of a lease. `promisedMs`: for how long no other node ends this one's lease. */
export function holdByPromise(askedMs: number, promisedMs: number): number {
  return askedMs + Math.min(HOLD_MS, promisedMs - (LEASES.bot.seconds * 1000 - HOLD_MS))
}

export type RenewedLease = { readonly seconds: number; readonly renewEveryMs: number }

/** Runs the work and renews its lease until the work settles. */
export async function whileRenewed<Result>(
  { seconds, renewEveryMs }: RenewedLease,
  renew: (seconds: number) => Promise<void>,
  work: () => Promise<Result>,
): Promise<Result> {
  // A failed renewal is no error here: the lease lapses, and the work is claimed again.
  const renewal = setInterval(() => void renew(seconds).catch(() => undefined), renewEveryMs)
  try {
    return await work()
  } finally {
    clearInterval(renewal)
  }
}
