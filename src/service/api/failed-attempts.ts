// Limits failed requests per address: without a valid key, or invalid ones on routes that anyone may call.
import { ServiceError } from '../../domain/errors.ts'
import { networkOf } from '../../kit/addresses.ts'

const WINDOW_MS = 60_000
/** The oldest address is dropped beyond this, to bound memory. */
const MOST_ADDRESSES = 10_000

export type FailedAttempts = {
  /** Counts a failure. Returns its error, or a 429 once the address has failed too often. */
  count<Failure extends Error>(address: string, error: Failure): Failure | ServiceError
  /** Returns a 429 while further failures of the address would get one. */
  refusalOf(address: string): ServiceError | null
}

type Options = {
  readonly perMinute: number
  readonly now: () => Date
  /** The sentence of the 429, without the time to wait. */
  readonly message: string
}

export function countFailedAttempts({ perMinute, now, message }: Options): FailedAttempts {
  const failures = new Map<string, { count: number; readonly until: number }>()

  function windowOf(address: string): { count: number; readonly until: number } {
    const network = networkOf(address)
    const open = failures.get(network)
    const at = now().getTime()
    if (open && open.until > at) return open
    const window = { count: 0, until: at + WINDOW_MS }
    failures.delete(network)
    failures.set(network, window)
    for (const oldest of failures.keys()) if (failures.size > MOST_ADDRESSES) failures.delete(oldest)
    return window
  }

  function refusal(until: number): ServiceError {
    const seconds = Math.ceil((until - now().getTime()) / 1000)
    return new ServiceError('too_many_requests', `${message} Try again in ${seconds} s.`, {}, seconds)
  }

  return {
    count(address, error) {
      const window = windowOf(address)
      window.count += 1
      return window.count <= perMinute ? error : refusal(window.until)
    },
    refusalOf(address) {
      const window = failures.get(networkOf(address))
      return window && window.until > now().getTime() && window.count >= perMinute ? refusal(window.until) : null
    },
  }
}
