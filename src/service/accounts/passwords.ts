// Hashes passwords with argon2id, a few at a time, in fair turns of the networks that ask.
import { hash, verify } from '@node-rs/argon2'
import { createRoundRobin } from './round-robin.ts'

/** Verified for unknown persons, so that the response time does not reveal whether an account exists. */
const DUMMY_HASH = '$argon2id$v=19$m=19456,t=2,p=1$fDPXLoxz/n2NA6fmaUWMdw$DVtfT56rfhUFmyivp5TOwe1v5qXURUEx1cIqNuWKCd8'

/** The passwords that a network asks for. */
export type PasswordsFrom = ReturnType<typeof createPasswords>
export type Passwords = ReturnType<PasswordsFrom>

export function createPasswords() {
  const enqueue = createRoundRobin()
  return (network: string) => ({
    // The package's defaults are argon2id with OWASP's minimum: 19 MiB, two passes.
    hash: (password: string): Promise<string> => enqueue(network, () => hash(password)),
    /** `known`: the stored hash, or null for an unknown person. */
    async fits(password: string, known: string | null): Promise<boolean> {
      const isRight = await enqueue(network, () => verify(known ?? DUMMY_HASH, password))
      return isRight && known !== null
    },
  })
}
