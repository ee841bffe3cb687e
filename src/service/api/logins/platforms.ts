// The platforms that bots can sign in to, with the paths and fields of their logins.
import type { LoginPlatform } from '../../db/accounts/logins.ts'
import { keyPairProblem } from '../../sso/key-pair.ts'
import { operationsOf } from '../schema.ts'

export type LoginKind = {
  readonly path: string
  readonly label: string
  readonly platform: LoginPlatform
  /** The body field with the domain to register. */
  readonly domainField: 'sso_workspace_domain' | 'domain'
  readonly secretFields: readonly string[]
  /** An error message that names the invalid secret field, or null. */
  readonly secretProblem: (secret: Readonly<Record<string, string>>, at: Date) => string | null
  /** Each login's email must be in the domain. */
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

export const loginOperation = operationsOf('Signed-in joins')
