// Verifies the signature without the library that made it.
import { createHash, createPublicKey, verify, X509Certificate } from 'node:crypto'
import { expect, test } from 'vitest'
import { makeCertificate } from '../../../sims/google-accounts/certificate.ts'
import { keyPairProblem } from './key-pair.ts'
import { samlResponse } from './saml-response.ts'

const { key, certificate } = makeCertificate()
const PAIR = { sso_private_key_pem: key, sso_cert_pem: certificate }
const AT = new Date('2026-11-15T12:00:00Z')
const STATEMENT = {
  acsUrl: 'https://www.google.com/a/acme.example/acs',
  audience: 'google.com',
  requestId: '_r1',
  issuer: 'https://bots.example/sso/google',
  email: 'bot@acme.example',
  at: AT,
}

const one = (text: string, pattern: RegExp) => pattern.exec(text)?.[1] ?? ''
/** Exclusive canonical XML of the response: namespaces at their first use, sorted attributes, no empty-element tags. */
function canonical(element: string, namespace: string): string {
  return element
    .replace(/^<([\w:]+)/, `<$1 ${namespace}`)
    .replaceAll(/<([\w:]+)((?: [\w:]+="[^"]*")*)(\/?)>/g, (_, name: string, attributes: string, empty: string) => {
      const inOrder = attributes.match(/ [\w:]+="[^"]*"/g)?.sort(byCanon) ?? []
      return `<${name}${inOrder.join('')}>${empty && `</${name}>`}`
    })
}
const byCanon = (a: string, b: string) => Number(b.startsWith(' xmlns')) - Number(a.startsWith(' xmlns')) || (a < b ? -1 : 1)

test('signs the whole assertion with the key of the certificate', () => {
  const response = samlResponse(STATEMENT, PAIR)
  const signature = one(response, /(<ds:Signature .*<\/ds:Signature>)/s)
  const assertion = one(response, /(<saml:Assertion .*<\/saml:Assertion>)/s).replace(signature, '')
  expect(one(signature, /<ds:Reference URI="#([^"]+)"/)).toBe(one(assertion, / ID="([^"]+)"/))

  const signedInfo = canonical(one(signature, /(<ds:SignedInfo>.*<\/ds:SignedInfo>)/s), 'xmlns:ds="http://www.w3.org/2000/09/xmldsig#"')
  const value = Buffer.from(one(signature, /<ds:SignatureValue>([^<]*)</), 'base64')
  expect(verify('RSA-SHA256', Buffer.from(signedInfo), createPublicKey(certificate), value)).toBe(true)

  const content = canonical(assertion, 'xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion"')
  expect(createHash('sha256').update(content).digest('base64')).toBe(one(signedInfo, /<ds:DigestValue>([^<]*)</))
  expect(one(response, /<ds:X509Certificate>([^<]*)</).replaceAll(/\s/g, '')).toBe(new X509Certificate(certificate).raw.toString('base64'))
})

test('contains subject, audience, destination, request id and validity', () => {
  const response = samlResponse(STATEMENT, PAIR)
  const says = (pattern: RegExp) => expect(one(response, pattern))
  says(/<saml:NameID Format="urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress">([^<]*)/).toBe(STATEMENT.email)
  says(/<saml:Audience>([^<]*)/).toBe('google.com')
  says(/<samlp:Response [^>]*Destination="([^"]*)/).toBe(STATEMENT.acsUrl)
  says(/<samlp:Response [^>]*InResponseTo="([^"]*)/).toBe('_r1')
  says(/<saml:SubjectConfirmationData [^>]*Recipient="([^"]*)/).toBe(STATEMENT.acsUrl)
  says(/<saml:SubjectConfirmationData [^>]*InResponseTo="([^"]*)/).toBe('_r1')
  says(/<saml:Conditions NotBefore="([^"]*)/).toBe('2026-11-15T11:59:00.000Z')
  says(/<saml:Conditions [^>]*NotOnOrAfter="([^"]*)/).toBe('2026-11-15T12:05:00.000Z')
  says(/ SessionIndex="([^"]*)/).not.toBe('')
  // The SAML schema requires the signature right after the issuer.
  expect(response).toMatch(/<saml:Assertion [^>]*><saml:Issuer>[^<]*<\/saml:Issuer><ds:Signature /)
  expect(samlResponse(STATEMENT, PAIR)).not.toBe(response)
})

test('escapes hostile values', () => {
  const hostile = `"><x a='&amp;`
  const response = samlResponse({ ...STATEMENT, email: hostile, requestId: hostile, audience: hostile, issuer: hostile }, PAIR)
  expect(response).not.toContain('<x')
})

test('rejects an expired certificate and accepts one that expires later', () => {
  expect(keyPairProblem(PAIR, new Date())).toBeNull()
  expect(keyPairProblem(PAIR, new Date(Date.now() + 29 * 86_400_000))).toBeNull()
  expect(keyPairProblem(PAIR, new Date(Date.now() + 31 * 86_400_000))).toMatch(
    /^sso_cert_pem expired on \d{4}-\d\d-\d\d\. Send a valid certificate\.$/,
  )
})
