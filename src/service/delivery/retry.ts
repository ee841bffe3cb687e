// When a delivery is tried again, and when it is given up.

const SECOND = 1
const MINUTE = 60
const HOUR = 3_600

/** Pauses after the first, second, … try: ten tries over about three days. */
const PAUSES_SECONDS = [5 * SECOND, 30 * SECOND, 2 * MINUTE, 10 * MINUTE, HOUR, 3 * HOUR, 8 * HOUR, 20 * HOUR, 36 * HOUR]

/** Seconds until the next try, or null after the last. `chance` in [0, 1) spreads receivers' second wave. */
export function pauseAfter(attempt: number, chance: number): number | null {
  const pause = PAUSES_SECONDS[attempt - 1]
  return pause === undefined ? null : pause * (0.8 + 0.4 * chance)
}
