// Google as the one who asks: where it starts, and where an answer for a domain may go. Nothing of this is taken from a request.
import type { AuthnRequest } from './authn-request.ts'

/** Any of its pages that needs an account; only the way there matters. */
const AFTERWARDS = 'https://myaccount.google.com/'

/** The page that sends a browser to the domain's own sign-in. */
export function startUrl(domain: string): string {
  return `https://www.google.com/a/${domain}/ServiceLogin?service=mail&continue=${encodeURIComponent(AFTERWARDS)}`
}

export type Consumer = { readonly acsUrl: string; readonly audience: string }

const PROFILE = /^https:\/\/accounts\.google\.com\/samlrp\/(?:metadata\?rpid=)?([\w-]{1,128})$/

/** Null where the request is not Google's for this domain. An answer is worth an account: it goes nowhere else. */
export function consumerFor({ issuer, acsUrl }: AuthnRequest, domain: string): Consumer | null {
  const [first, ...others] = consumersOf(issuer, domain)
  if (!first) return null
  const found = acsUrl === null ? first : [first, ...others].find((it) => it === acsUrl.toLowerCase() || it === acsUrl)
  return found ? { acsUrl: acsUrl ?? found, audience: issuer } : null
}

function consumersOf(issuer: string, domain: string): readonly string[] {
  // The profile of the whole organisation; the second one where its administrator wants an issuer of the domain's own.
  if (issuer === 'google.com' || issuer === `google.com/a/${domain}`) return [`https://www.google.com/a/${domain}/acs`]
  // A profile for some of its people.
  const [, profile] = PROFILE.exec(issuer) ?? []
  if (!profile) return []
  return [`https://accounts.google.com/samlrp/${profile}/acs`, `https://accounts.google.com/samlrp/acs?rpid=${profile}`]
}
