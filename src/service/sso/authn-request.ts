// Reads the SAML AuthnRequest with which Google redirects a browser to this server.
import { inflateRawSync } from 'node:zlib'
import { orNull } from '../../kit/or-null.ts'
import { readXml } from './xml.ts'

/** Maximum size of the document. Google's are less than 2 KB. */
const MAX_BYTES = 32 * 1024
const PROTOCOL = 'urn:oasis:names:tc:SAML:2.0:protocol'
const ASSERTION = 'urn:oasis:names:tc:SAML:2.0:assertion'
const ID = /^[A-Za-z_][\w.-]{0,255}$/

export type AuthnRequest = {
  readonly id: string
  readonly issuer: string
  /** The URL that the response goes to. Null: the issuer's default. */
  readonly acsUrl: string | null
}

/** The redirect binding deflates the request, the POST binding does not. */
export type Binding = 'redirect' | 'post'

/** Null if it is not an AuthnRequest. The input is untrusted, so its inflated size is limited. */
export function readAuthnRequest(encoded: string, binding: Binding): AuthnRequest | null {
  const document = decoded(encoded, binding)
  const request = document === null ? null : readXml(document)
  if (request?.name !== 'AuthnRequest' || request.namespace !== PROTOCOL || request.attributes.get('Version') !== '2.0') return null
  const id = request.attributes.get('ID') ?? ''
  const issuer = request.children.find(({ name, namespace }) => name === 'Issuer' && namespace === ASSERTION)?.text.trim()
  if (!ID.test(id) || !issuer) return null
  return { id, issuer, acsUrl: request.attributes.get('AssertionConsumerServiceURL') ?? null }
}

function decoded(encoded: string, binding: Binding): string | null {
  if (encoded.length > MAX_BYTES * 2 || !/^[A-Za-z0-9+/\s]+={0,2}\s*$/.test(encoded)) return null
  const bytes = Buffer.from(encoded, 'base64')
  if (binding === 'post') return bytes.length <= MAX_BYTES ? bytes.toString() : null
  // Null if the data is not deflated, or inflates beyond the limit.
  return orNull(() => inflateRawSync(bytes, { maxOutputLength: MAX_BYTES }).toString())
}
