// Limits failed sign-ins per network and per e-mail address.
import { ServiceError } from '../../domain/errors.ts'
import type { Db } from '../db/database.ts'
import { countFailure, openWindows } from '../db/failed-sign-ins.ts'

type Limit = { readonly most: number; readonly windowMs: number }
type Kind = 'network' | 'email'

/** The limit per e-mail address is higher, so that one network cannot lock a person out. */
const LIMITS: Readonly<Record<Kind, Limit>> = {
  network: { most: 10, windowMs: 60_000 },
  email: { most: 50, windowMs: 15 * 60_000 },
}
const KINDS = ['network', 'email'] as const

/** An empty e-mail address is not counted. */
type Attempt = { readonly network: string; readonly email: string }

export type SignInThrottle = {
  /** Throws a 429 after too many failures of the network or e-mail address. */
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
