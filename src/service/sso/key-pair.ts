// The key pair of a Google login: judged when it comes, and opened only to sign.
import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto'
import type { Vault } from '../accounts/secrets.ts'
import type { Vouching } from '../db/sign-ins.ts'

/** As it is sealed: the fields of the request it came in. */
export type KeyPair = { readonly sso_private_key_pem: string; readonly sso_cert_pem: string }

const LEAST_BITS = 2048

/** What is wrong with it, in a sentence that names the field; null where Google could check our signatures with it. */
export function keyPairProblem({ sso_private_key_pem, sso_cert_pem }: KeyPair, at: Date): string | null {
  const key = parsed(() => createPrivateKey(sso_private_key_pem))
  if (!key) return 'sso_private_key_pem must be a private key in PEM, without a passphrase.'
  if (key.asymmetricKeyType !== 'rsa' || bitsOf(key) < LEAST_BITS)
    return `sso_private_key_pem must be an RSA key of at least ${LEAST_BITS} bits.`
  const certificate = parsed(() => new X509Certificate(sso_cert_pem))
  if (!certificate) return 'sso_cert_pem must be an X.509 certificate in PEM.'
  if (!certificate.checkPrivateKey(key)) return 'sso_cert_pem must be the certificate of sso_private_key_pem: the two do not match.'
  if (certificate.validToDate <= at) return `sso_cert_pem expired on ${certificate.validToDate.toISOString().slice(0, 10)}.`
  return null
}

export function openKeyPair(vault: Vault, { loginId, secret }: Vouching): KeyPair {
  return JSON.parse(vault.open(loginId, secret)) as KeyPair
}

function bitsOf(key: KeyObject): number {
  return key.asymmetricKeyDetails?.modulusLength ?? 0
}

/** Null where the text is nothing of the kind: it is the caller's, and may be anything. */
function parsed<Value>(read: () => Value): Value | null {
  try {
    return read()
  } catch {
    return null
  }
}
