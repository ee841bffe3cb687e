// What Google sends a browser to us with: a SAML request to say who that is.
import { inflateRawSync } from 'node:zlib'
import { readXml } from './xml.ts'

/** Of the document. Google's are less than 2 KB. */
const MOST_BYTES = 32 * 1024
const PROTOCOL = 'urn:oasis:names:tc:SAML:2.0:protocol'
const ASSERTION = 'urn:oasis:names:tc:SAML:2.0:assertion'
const ID = /^[A-Za-z_][\w.-]{0,255}$/

export type AuthnRequest = {
  readonly id: string
  readonly issuer: string
  /** Where it wants the answer; null: where its issuer always has it. */
  readonly acsUrl: string | null
}

/** How it came: a redirect carries it deflated, a form as it is. */
export type Binding = 'redirect' | 'post'

/** Null where it is none. Anything may come here: nothing is believed, and nothing grows beyond its measure. */
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
  if (encoded.length > MOST_BYTES * 2 || !/^[A-Za-z0-9+/\s]+={0,2}\s*$/.test(encoded)) return null
  const bytes = Buffer.from(encoded, 'base64')
  if (binding === 'post') return bytes.length <= MOST_BYTES ? bytes.toString() : null
  try {
    return inflateRawSync(bytes, { maxOutputLength: MOST_BYTES }).toString()
  } catch {
    // Not deflated, or more than it may become: either way it is no request.
    return null
  }
}
