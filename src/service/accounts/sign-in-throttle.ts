// How often a password may be wrong: for an address of the network, and for the e-mail address that it is tried with.
import { ServiceError } from '../../domain/errors.ts'

type Limit = { readonly most: number; readonly windowMs: number }

/** Enough for typing errors. An account tolerates more than one address does, so that one guesser does not lock a person out. */
const LIMITS = { network: { most: 10, windowMs: 60_000 }, email: { most: 50, windowMs: 15 * 60_000 } } satisfies Record<string, Limit>
/** Beyond this the oldest is forgotten: memory stays bounded. */
const MOST_COUNTED = 10_000

export type SignInThrottle = {
  /** Throws a 429 when this network or this e-mail address failed too often. */
  check(network: string, email: string): void
  failed(network: string, email: string): void
}

export function createSignInThrottle(now: () => Date): SignInThrottle {
  const counts = { network: counter(LIMITS.network, now), email: counter(LIMITS.email, now) }
  return {
    check(network, email) {
      const waitMs = Math.max(counts.network.waitMs(network), counts.email.waitMs(email))
      if (waitMs === 0) return
      const seconds = Math.ceil(waitMs / 1000)
      throw new ServiceError('too_many_requests', `Too many failed sign-ins. Try again in ${seconds} s.`, {}, seconds)
    },
    failed(network, email) {
      counts.network.add(network)
      counts.email.add(email)
    },
  }
}

function counter({ most, windowMs }: Limit, now: () => Date) {
  const failures = new Map<string, { count: number; readonly until: number }>()
  const current = (name: string) => {
    const window = failures.get(name)
    return window && window.until > now().getTime() ? window : undefined
  }
  return {
    waitMs(name: string): number {
      const window = current(name)
      return window && window.count >= most ? window.until - now().getTime() : 0
    },
    add(name: string): void {
      const window = current(name) ?? { count: 0, until: now().getTime() + windowMs }
      window.count += 1
      failures.delete(name)
      failures.set(name, window)
      for (const oldest of failures.keys()) if (failures.size > MOST_COUNTED) failures.delete(oldest)
    },
  }
}
