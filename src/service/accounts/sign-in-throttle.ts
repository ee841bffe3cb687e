// Limits failed sign-ins per network and per e-mail address.
import { type ErrorCode, ServiceError, tooMany } from '../../domain/errors.ts'
import { type CountedAttempt, countAttempt, endOfWindow, uncountAttempt } from '../db/accounts/failed-sign-ins.ts'
import type { Db } from '../db/database.ts'

type Limit = { readonly most: number; readonly windowMs: number }
type Kind = 'network' | 'email'

/** The limit per e-mail address is higher, so that one network cannot lock a person out. */
const LIMITS: Readonly<Record<Kind, Limit>> = {
  network: { most: 10, windowMs: 60_000 },
  email: { most: 50, windowMs: 15 * 60_000 },
}
/** The network is first: an attempt that it may not make does not count against the e-mail address. */
const KINDS = ['network', 'email'] as const

/** These errors of an attempt are guesses. After any other outcome the attempt does not count. */
const FAILURES: readonly ErrorCode[] = ['wrong_password', 'invitation_not_found']

/** An empty e-mail address is not counted. */
type SignInAttempt = { readonly network: string; readonly email: string }

export type SignInThrottle = ReturnType<typeof createSignInThrottle>

export function createSignInThrottle({ db, now }: { readonly db: Db; readonly now: () => Date }) {
  const uncount = async (counted: readonly CountedAttempt[]): Promise<void> => {
    for (const it of counted) await uncountAttempt(db, it)
  }

  async function count(attempt: SignInAttempt): Promise<CountedAttempt[]> {
    const at = now()
    const counted: CountedAttempt[] = []
    for (const kind of KINDS.filter((it) => attempt[it] !== '')) {
      const { most, windowMs } = LIMITS[kind]
      const name = `${kind} ${attempt[kind]}`
      const it = await countAttempt(db, { name, most, at, until: new Date(at.getTime() + windowMs) })
      if (!it) {
        await uncount(counted)
        const until = (await endOfWindow(db, name, at)) ?? at
        throw tooMany('Too many failed sign-ins.', until.getTime() - at.getTime())
      }
      counted.push(it)
    }
    return counted
  }

  return {
    /** Runs `guess`, or throws a 429 after too many failures of the network or e-mail address. Running guesses count as failed. */
    async limit<Result>(attempt: SignInAttempt, guess: () => Promise<Result>): Promise<Result> {
      const counted = await count(attempt)
      let isFailure = false
      try {
        return await guess()
      } catch (error) {
        isFailure = error instanceof ServiceError && FAILURES.includes(error.code)
        throw error
      } finally {
        if (!isFailure) await uncount(counted)
      }
    },
  }
}
