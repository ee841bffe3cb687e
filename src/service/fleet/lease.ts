// The lease of a claim: how long it lasts, how often it is renewed, and until when a host may stay in its meetings without a renewal.

/** A node that falls silent loses its bots after this. */
export const LEASE_SECONDS = 10

export const RENEW_EVERY_MS = 2_000

/**
 * A host leaves its meetings by its own clock, this long after the last renewal was asked for. The rest of the lease is the time it has for
 * leaving: another node may send the bot as soon as the lease has run out.
 */
const HOLD_MS = 7_000

/** `askedMs`: when the claim or its renewal was asked for, on the machine's monotonic clock. */
export function holdUntil(askedMs: number): number {
  return askedMs + HOLD_MS
}
