// Google's URLs for SAML: where a sign-in starts, and where a response for a domain may go. None of them comes from a request.
import type { AuthnRequest } from './authn-request.ts'

/** A Google page that requires a sign-in. Its content does not matter. */
const AFTERWARDS = 'https://myaccount.google.com/'

/** The page that redirects a browser to the domain's identity provider. */
export function startUrl(domain: string): string {
  return `https://www.google.com/a/${domain}/ServiceLogin?service=mail&continue=${encodeURIComponent(AFTERWARDS)}`
}

export type Consumer = { readonly acsUrl: string; readonly audience: string }

const PROFILE = /^https:\/\/accounts\.google\.com\/samlrp\/(?:metadata\?rpid=)?([\w-]{1,128})$/

/** Null if the request is not from Google for this domain. A response grants an account, so it goes nowhere else. */
export function consumerFor({ issuer, acsUrl }: AuthnRequest, domain: string): Consumer | null {
  const [first, ...others] = consumersOf(issuer, domain)
  if (!first) return null
  const found = acsUrl === null ? first : [first, ...others].find((it) => it === acsUrl.toLowerCase() || it === acsUrl)
  return found ? { acsUrl: acsUrl ?? found, audience: issuer } : null
}

function consumersOf(issuer: string, domain: string): readonly string[] {
  // The organisation-wide profile. The second form is Google's "domain-specific issuer" option.
  if (issuer === 'google.com' || issuer === `google.com/a/${domain}`) return [`https://www.google.com/a/${domain}/acs`]
  // A profile for some organisational units.
  const [, profile] = PROFILE.exec(issuer) ?? []
  if (!profile) return []
  return [`https://accounts.google.com/samlrp/${profile}/acs`, `https://accounts.google.com/samlrp/acs?rpid=${profile}`]
}
