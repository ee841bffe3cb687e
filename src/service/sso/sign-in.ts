// Signs a bot's browser in: a session for the browser, and a signed SAML response for Google.
import type { BotId, LoginId } from '../../domain/bot.ts'
import { digestOfToken, newToken } from '../accounts/secret-token.ts'
import type { Vault } from '../accounts/secrets.ts'
import type { Db } from '../db/database.ts'
import { deleteSession, findSession, insertSession, markSigned, useSession } from '../db/fleet/sign-ins.ts'
import { type Binding, readAuthnRequest } from './authn-request.ts'
import { consumerFor, startUrl } from './google.ts'
import { openKeyPair } from './key-pair.ts'
import { samlResponse } from './saml-response.ts'

/** Long enough for a sign-in. Short, because a leaked link or cookie grants the account. */
export const SESSION_SECONDS = 30 * 60

export const SIGN_IN_PATH = '/sso/google'

export type SessionDeps = { readonly db: Db; readonly publicUrl: () => string; readonly now: () => Date }
export type SignInDeps = SessionDeps & { readonly vault: Vault }

/** A one-time link that signs a browser in with this login. */
export async function newSession({ db, publicUrl, now }: SessionDeps, botId: BotId, loginId: LoginId): Promise<string> {
  const token = newToken()
  const at = now()
  await insertSession(db, { digest: digestOfToken(token), botId, loginId, at, until: new Date(at.getTime() + SESSION_SECONDS * 1000) })
  return `${publicUrl()}${SIGN_IN_PATH}/session?token=${token}`
}

/** The session cookie and the next URL. Null if the link was used or has expired. */
export async function beginSession({ db, now }: SessionDeps, token: string): Promise<{ cookie: string; next: string } | null> {
  const cookie = newToken()
  const domain = await useSession(db, { token: digestOfToken(token), cookie: digestOfToken(cookie), at: now() })
  return domain === null ? null : { cookie, next: startUrl(domain) }
}

export async function endSession({ db }: SessionDeps, cookie: string): Promise<void> {
  await deleteSession(db, digestOfToken(cookie))
}

export type Asked = { readonly samlRequest: string; readonly binding: Binding; readonly cookie: string | null }

export type Answer =
  | { readonly kind: 'vouched'; readonly acsUrl: string; readonly samlResponse: string }
  | { readonly kind: 'refused'; readonly fault: 'request' | 'session'; readonly message: string }

/** Answers an AuthnRequest with a signed response, or refuses it. */
export async function answerGoogle({ db, vault, publicUrl, now }: SignInDeps, { samlRequest, binding, cookie }: Asked): Promise<Answer> {
  const request = readAuthnRequest(samlRequest, binding)
  if (!request) return refusal('request', 'This is not a sign-in request from Google. Open the meeting again.')
  const at = now()
  const digest = digestOfToken(cookie ?? '')
  const session = cookie === null ? null : await findSession(db, { cookie: digest, at })
  if (!session) return refusal('session', 'This browser has no sign-in session, or it has expired.')
  const consumer = consumerFor(request, session.domain)
  if (!consumer) return refusal('request', `This sign-in request is not from Google for ${session.domain}.`)

  const statement = { ...consumer, requestId: request.id, issuer: `${publicUrl()}${SIGN_IN_PATH}`, email: session.email, at }
  const response = samlResponse(statement, openKeyPair(vault, session))
  await markSigned(db, { cookie: digest, at })
  return { kind: 'vouched', acsUrl: consumer.acsUrl, samlResponse: Buffer.from(response).toString('base64') }
}

function refusal(fault: 'request' | 'session', message: string): Answer {
  return { kind: 'refused', fault, message }
}
