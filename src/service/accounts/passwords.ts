// Hashes passwords with argon2id and limits concurrency.
import { hash, verify } from '@node-rs/argon2'
import { ServiceError } from '../../domain/errors.ts'

/** Each running hash takes 19 MiB. */
const MAX_RUNNING = 2
const MAX_WAITING = 50

/** Verified for unknown persons, so that the response time does not reveal whether an account exists. */
const DUMMY_HASH = '$argon2id$v=19$m=19456,t=2,p=1$fDPXLoxz/n2NA6fmaUWMdw$DVtfT56rfhUFmyivp5TOwe1v5qXURUEx1cIqNuWKCd8'

export type Passwords = {
  hash(password: string): Promise<string>
  /** `known`: the stored hash, or null for an unknown person. */
  fits(password: string, known: string | null): Promise<boolean>
}

export function createPasswords(): Passwords {
  const inTurn = limited()
  return {
    // The package's defaults are argon2id with OWASP's minimum: 19 MiB, two passes.
    hash: (password) => inTurn(() => hash(password)),
    async fits(password, known) {
      const isRight = await inTurn(() => verify(known ?? DUMMY_HASH, password))
      return isRight && known !== null
    },
  }
}

/** Runs at most MAX_RUNNING at a time and rejects work if the queue is full. */
function limited(): <Result>(work: () => Promise<Result>) => Promise<Result> {
  const waiting: (() => void)[] = []
  let running = 0
  return async (work) => {
    if (running >= MAX_RUNNING) {
      if (waiting.length >= MAX_WAITING)
        throw new ServiceError('too_many_requests', 'Too many sign-ins at the same time. Try again in 5 s.', {}, 5)
      await new Promise<void>((resolve) => waiting.push(resolve))
    } else running += 1
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      if (next) next()
      else running -= 1
    }
  }
}
