// Limits failed authentications per address. Requests with a valid key pass even then.
import { ServiceError } from '../../domain/errors.ts'
import { networkOf } from '../../kit/addresses.ts'

const WINDOW_MS = 60_000
/** The oldest address is dropped beyond this, to bound memory. */
const MOST_ADDRESSES = 10_000

export type FailedAttempts = {
  /** Returns the given error, or a 429 once the address has failed too often. */
  refusal(address: string, error: ServiceError): ServiceError
}

export function countFailedAttempts({ perMinute, now }: { readonly perMinute: number; readonly now: () => Date }): FailedAttempts {
  const failures = new Map<string, { count: number; readonly until: number }>()
  return {
    refusal(address, error) {
      const at = now().getTime()
      const network = networkOf(address)
      let window = failures.get(network)
      if (!window || window.until <= at) {
        failures.delete(network)
        window = { count: 0, until: at + WINDOW_MS }
        failures.set(network, window)
        for (const oldest of failures.keys()) if (failures.size > MOST_ADDRESSES) failures.delete(oldest)
      }
      window.count += 1
      return window.count <= perMinute ? error : tooManyFailures(window.until - at)
    },
  }
}

function tooManyFailures(leftMs: number): ServiceError {
  const seconds = Math.ceil(leftMs / 1000)
  const message = `Too many requests without a valid API key from this address. Check the Authorization header and try again in ${seconds} s.`
  return new ServiceError('too_many_requests', message, {}, seconds)
}
