// Passwords: hashed with argon2id, a few at a time.
import { hash, verify } from '@node-rs/argon2'
import { ServiceError } from '../../domain/errors.ts'

/** Each hash holds 19 MiB for as long as it takes. */
const AT_ONCE = 2
const MOST_WAITING = 50

/** What a password is compared with where no such person is known, so that both take as long. */
const NOBODY = '$argon2id$v=19$m=19456,t=2,p=1$fDPXLoxz/n2NA6fmaUWMdw$DVtfT56rfhUFmyivp5TOwe1v5qXURUEx1cIqNuWKCd8'

export type Passwords = {
  hash(password: string): Promise<string>
  /** `known` is null for an unknown person, whom no password fits. */
  fits(password: string, known: string | null): Promise<boolean>
}

export function createPasswords(): Passwords {
  const inTurn = limited()
  return {
    // The package's defaults are argon2id with the least costs that OWASP advises: 19 MiB, two passes.
    hash: (password) => inTurn(() => hash(password)),
    async fits(password, known) {
      const isRight = await inTurn(() => verify(known ?? NOBODY, password))
      return isRight && known !== null
    },
  }
}

/** Runs AT_ONCE pieces of work side by side, and refuses those that would wait behind too many. */
function limited(): <Result>(work: () => Promise<Result>) => Promise<Result> {
  const waiting: (() => void)[] = []
  let running = 0
  return async (work) => {
    if (running >= AT_ONCE) {
      if (waiting.length >= MOST_WAITING)
        throw new ServiceError('too_many_requests', 'Too many people sign in at once. Try again soon.', {}, 5)
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
