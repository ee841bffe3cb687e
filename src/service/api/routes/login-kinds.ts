// The two platforms that bots can sign in to, and how their logins are spelled on the wire.
import type { LoginPlatform } from '../../db/logins.ts'
import { keyPairProblem } from '../../sso/key-pair.ts'

export type LoginKind = {
  readonly path: string
  readonly label: string
  readonly platform: LoginPlatform
  /** The field of the body that names the domain when it is registered. */
  readonly domainField: 'sso_workspace_domain' | 'domain'
  readonly secretFields: readonly string[]
  /** What is wrong with them, in a sentence that names the field. */
  readonly secretProblem: (secret: Readonly<Record<string, string>>, at: Date) => string | null
  /** Every account's address is of the domain. */
  readonly ownAddresses: boolean
}

export const LOGIN_KINDS: readonly LoginKind[] = [
  {
    path: 'google',
    label: 'Google',
    platform: 'google_meet',
    domainField: 'sso_workspace_domain',
    secretFields: ['sso_private_key_pem', 'sso_cert_pem'],
    secretProblem: ({ sso_private_key_pem = '', sso_cert_pem = '' }, at) => keyPairProblem({ sso_private_key_pem, sso_cert_pem }, at),
    ownAddresses: true,
  },
  {
    path: 'teams',
    label: 'Teams',
    platform: 'teams',
    domainField: 'domain',
    secretFields: ['password'],
    secretProblem: () => null,
    ownAddresses: false,
  },
]

export const LOGIN_TAGS = ['Signed-in joins']
