// Checks and opens the SAML key pair of a Google login.
import { createPrivateKey, X509Certificate } from 'node:crypto'
import { orNull } from '../../kit/or-null.ts'
import type { Vault } from '../accounts/secrets.ts'
import type { SignInSession } from '../db/fleet/sign-ins.ts'

/** As it is sealed, with the field names of the API request. */
export type KeyPair = { readonly sso_private_key_pem: string; readonly sso_cert_pem: string }

const MIN_BITS = 2048

/** An error message that names the invalid field, or null. */
export function keyPairProblem({ sso_private_key_pem, sso_cert_pem }: KeyPair, at: Date): string | null {
  const key = orNull(() => createPrivateKey(sso_private_key_pem))
  if (!key) return 'sso_private_key_pem must be a private key in PEM format without a passphrase.'
  if (key.asymmetricKeyType !== 'rsa' || (key.asymmetricKeyDetails?.modulusLength ?? 0) < MIN_BITS)
    return `sso_private_key_pem must be an RSA key of at least ${MIN_BITS} bits.`
  const certificate = orNull(() => new X509Certificate(sso_cert_pem))
  if (!certificate) return 'sso_cert_pem must be an X.509 certificate in PEM format.'
  if (!certificate.checkPrivateKey(key)) return 'sso_cert_pem must be the certificate of sso_private_key_pem. The two do not match.'
  if (certificate.validToDate <= at)
    return `sso_cert_pem expired on ${certificate.validToDate.toISOString().slice(0, 10)}. Send a valid certificate.`
  return null
}

export function openKeyPair(vault: Vault, { loginId, secret }: SignInSession): KeyPair {
  return JSON.parse(vault.open(loginId, secret)) as KeyPair
}
