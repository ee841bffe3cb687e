// Google as SAML service provider: its request, and its checks of the answer.
import { deflateRawSync } from 'node:zlib'
import { SignedXml } from 'xml-crypto'

const SHA256_SIGNATURE = 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256'

export type Expectation = {
  /** Of the organisation's profile. */
  readonly certificate: string
  readonly audience: string
  readonly acsUrl: string
  readonly at: Date
  /** Whether a request with this id was sent and has no answer yet. */
  readonly asked: (id: string) => boolean
}

export type Verdict =
  | { readonly kind: 'user'; readonly email: string; readonly answers: string }
  | { readonly kind: 'error'; readonly sentence: string }

export function authnRequest({ id, issuer, acsUrl, at }: { id: string; issuer: string; acsUrl: string; at: Date }): string {
  const document = `<?xml version="1.0" encoding="UTF-8"?>
<samlp:AuthnRequest xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol" ID="${id}" Version="2.0" IssueInstant="${at.toISOString()}" ProtocolBinding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST" ProviderName="google.com" IsPassive="false" AssertionConsumerServiceURL="${acsUrl}"><saml:Issuer xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion">${issuer}</saml:Issuer><samlp:NameIDPolicy AllowCreate="true" Format="urn:oasis:names:tc:SAML:1.1:nameid-format:unspecified"/></samlp:AuthnRequest>
`
  return deflateRawSync(document).toString('base64')
}

const UNVERIFIED = 'This account cannot be accessed because the login credentials could not be verified.'
const UNPARSED = 'This account cannot be accessed because we could not parse the login request.'
const invalid = (what: string) =>
  `This service cannot be accessed because your login request contained invalid ${what} information. Please log in and try again.`

/** Reads all values from the text that the signature covers. */
export function check(encoded: string, { certificate, audience, acsUrl, at, asked }: Expectation): Verdict {
  const response = Buffer.from(encoded, 'base64').toString()
  if (!/<samlp:StatusCode [^>]*Value="urn:oasis:names:tc:SAML:2\.0:status:Success"/.test(response)) return error(UNPARSED)
  const assertion = signedAssertion(response, certificate)
  if (assertion === null) return error(UNVERIFIED)
  const one = (pattern: RegExp) => pattern.exec(assertion)?.[1] ?? ''
  const moment = (pattern: RegExp) => Date.parse(one(pattern))

  if (plain(one(/<saml:Audience>([^<]*)<\/saml:Audience>/)) !== audience) return error(invalid('audience'))
  const confirmation = one(
    /<saml:SubjectConfirmation Method="urn:oasis:names:tc:SAML:2\.0:cm:bearer">(<saml:SubjectConfirmationData [^>]*>)/,
  )
  if (plain(/ Recipient="([^"]*)"/.exec(confirmation)?.[1] ?? '') !== acsUrl) return error(invalid('recipient'))
  if (!(at.getTime() >= moment(/<saml:Conditions [^>]*NotBefore="([^"]*)"/)))
    return error('This service cannot be accessed because your login credentials are not yet valid. Please log in and try again.')
  const ends = [/<saml:Conditions [^>]*NotOnOrAfter="([^"]*)"/, /<saml:SubjectConfirmationData [^>]*NotOnOrAfter="([^"]*)"/].map(moment)
  if (!ends.every((end) => at.getTime() < end))
    return error('This service cannot be accessed because your login credentials have expired. Please log in and try again.')
  const answers = / InResponseTo="([^"]*)"/.exec(confirmation)?.[1] ?? ''
  if (!asked(answers)) return error(UNPARSED)
  if (!/<saml:AuthnStatement [^>]*SessionIndex="[^"]+"/.test(assertion)) return error(UNPARSED)
  return { kind: 'user', email: plain(one(/<saml:NameID Format="[^"]*emailAddress">([^<]*)<\/saml:NameID>/)), answers }
}

/** The signed text in canonical form, or null if this key did not sign it. */
function signedAssertion(response: string, certificate: string): string | null {
  const [signature, ...more] = response.match(/<ds:Signature .*?<\/ds:Signature>/gs) ?? []
  if (!signature || more.length > 0 || /<!/.test(response)) return null
  const check = new SignedXml({ publicCert: certificate, getCertFromKeyInfo: () => null })
  try {
    check.loadSignature(signature)
    if (check.signatureAlgorithm !== SHA256_SIGNATURE || !check.checkSignature(response)) return null
  } catch {
    // A signature that cannot be checked counts as missing.
    return null
  }
  const [assertion, ...others] = check.getSignedReferences()
  return assertion?.startsWith('<saml:Assertion ') && others.length === 0 ? assertion : null
}

function error(sentence: string): Verdict {
  return { kind: 'error', sentence }
}

function plain(text: string): string {
  return text.replaceAll(/&#(\d+);|&(amp|lt|gt|quot);/g, (_, point?: string, name = '') =>
    point ? String.fromCodePoint(Number(point)) : (NAMED[name] ?? ''),
  )
}

const NAMED: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"' }
