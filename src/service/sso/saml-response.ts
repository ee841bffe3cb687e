// Writes a SAML response with one assertion, signed with the key of the login.
import { randomBytes } from 'node:crypto'
import { SignedXml } from 'xml-crypto'
import type { Consumer } from './google.ts'
import type { KeyPair } from './key-pair.ts'
import { escapeXml } from './xml.ts'

const VALID_MS = 5 * 60_000
/** Google's clock may be behind this server's. */
const SKEW_MS = 60_000

const EXCLUSIVE = 'http://www.w3.org/2001/10/xml-exc-c14n#'
const NAMESPACES = 'xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion" xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol"'

export type Statement = Consumer & {
  readonly requestId: string
  /** This server's entity id. */
  readonly issuer: string
  readonly email: string
  readonly at: Date
}

export function samlResponse(statement: Statement, keys: KeyPair): string {
  return signed(written(statement), keys)
}

/** Only the elements that Google requires, in ASCII: Google rejects others. */
function written({ acsUrl, audience, requestId, issuer, email, at }: Statement): string {
  const now = at.toISOString()
  const [notBefore, notAfter] = [at.getTime() - SKEW_MS, at.getTime() + VALID_MS].map((it) => new Date(it).toISOString())
  const [acs, request, us] = [acsUrl, requestId, issuer].map(escapeXml)
  const [responseId, assertionId, session] = [newId(), newId(), newId()]
  return [
    `<samlp:Response ${NAMESPACES} ID="${responseId}" Version="2.0" IssueInstant="${now}" Destination="${acs}" InResponseTo="${request}">`,
    `<saml:Issuer>${us}</saml:Issuer>`,
    '<samlp:Status><samlp:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:Success"/></samlp:Status>',
    `<saml:Assertion ID="${assertionId}" Version="2.0" IssueInstant="${now}"><saml:Issuer>${us}</saml:Issuer>`,
    `<saml:Subject><saml:NameID Format="urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress">${escapeXml(email)}</saml:NameID>`,
    '<saml:SubjectConfirmation Method="urn:oasis:names:tc:SAML:2.0:cm:bearer">',
    `<saml:SubjectConfirmationData InResponseTo="${request}" Recipient="${acs}" NotOnOrAfter="${notAfter}"/>`,
    '</saml:SubjectConfirmation></saml:Subject>',
    `<saml:Conditions NotBefore="${notBefore}" NotOnOrAfter="${notAfter}"><saml:AudienceRestriction>`,
    `<saml:Audience>${escapeXml(audience)}</saml:Audience></saml:AudienceRestriction></saml:Conditions>`,
    `<saml:AuthnStatement AuthnInstant="${now}" SessionIndex="${session}"><saml:AuthnContext>`,
    '<saml:AuthnContextClassRef>urn:oasis:names:tc:SAML:2.0:ac:classes:unspecified</saml:AuthnContextClassRef>',
    '</saml:AuthnContext></saml:AuthnStatement></saml:Assertion></samlp:Response>',
  ].join('')
}

function signed(document: string, { sso_private_key_pem: privateKey, sso_cert_pem: publicCert }: KeyPair): string {
  const signature = new SignedXml({
    privateKey,
    publicCert,
    canonicalizationAlgorithm: EXCLUSIVE,
    signatureAlgorithm: 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256',
  })
  const assertion = "/*[local-name(.)='Response']/*[local-name(.)='Assertion']"
  signature.addReference({
    xpath: assertion,
    transforms: ['http://www.w3.org/2000/09/xmldsig#enveloped-signature', EXCLUSIVE],
    digestAlgorithm: 'http://www.w3.org/2001/04/xmlenc#sha256',
  })
  // The SAML schema requires the signature right after the issuer.
  const location = { reference: `${assertion}/*[local-name(.)='Issuer']`, action: 'after' } as const
  signature.computeSignature(document, { prefix: 'ds', location })
  return signature.getSignedXml()
}

/** An XML id must not begin with a digit. */
function newId(): string {
  return `_${randomBytes(20).toString('hex')}`
}
