// How often a password may be wrong: for an address of the network, and for the e-mail address that it is tried with.
import { ServiceError } from '../../domain/errors.ts'
import type { Db } from '../db/database.ts'
import { countFailure, openWindows } from '../db/failed-sign-ins.ts'

type Limit = { readonly most: number; readonly windowMs: number }
type Kind = 'network' | 'email'

/** Enough for typing errors. An account tolerates more than one address does, so that one guesser does not lock a person out. */
const LIMITS: Readonly<Record<Kind, Limit>> = {
  network: { most: 10, windowMs: 60_000 },
  email: { most: 50, windowMs: 15 * 60_000 },
}
const KINDS = ['network', 'email'] as const

/** An empty e-mail address is not counted. */
type Attempt = { readonly network: string; readonly email: string }

export type SignInThrottle = {
  /** Rejects with a 429 when this network or this e-mail address failed too often. */
  check(attempt: Attempt): Promise<void>
  failed(attempt: Attempt): Promise<void>
}

export function createSignInThrottle({ db, now }: { readonly db: Db; readonly now: () => Date }): SignInThrottle {
  return {
    async check(attempt) {
      const at = now()
      const windows = await openWindows(db, countersOf(attempt).map(nameOf), at)
      const full = windows.filter(({ name, count }) => count >= LIMITS[kindIn(name)].most)
      if (full.length === 0) return
      const seconds = Math.ceil(Math.max(...full.map(({ until }) => until.getTime() - at.getTime())) / 1000)
      throw new ServiceError('too_many_requests', `Too many failed sign-ins. Try again in ${seconds} s.`, {}, seconds)
    },
    async failed(attempt) {
      const at = now()
      for (const counter of countersOf(attempt)) {
        const until = new Date(at.getTime() + LIMITS[counter.kind].windowMs)
        await countFailure(db, { name: nameOf(counter), at, until })
      }
    },
  }
}

type Counter = { readonly kind: Kind; readonly value: string }

function countersOf(attempt: Attempt): Counter[] {
  return KINDS.map((kind) => ({ kind, value: attempt[kind] })).filter(({ value }) => value !== '')
}

const nameOf = ({ kind, value }: Counter): string => `${kind} ${value}`

const kindIn = (name: string): Kind => (name.startsWith('email ') ? 'email' : 'network')
