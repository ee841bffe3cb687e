// SAML identity provider for bots: a link opens a session, and Google redirects the browser here to sign in.
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Binding } from '../../sso/authn-request.ts'
import { answerGoogle, beginSession, endSession, SESSION_SECONDS, SIGN_IN_PATH } from '../../sso/sign-in.ts'
import type { Api, ApiDeps } from '../deps.ts'
import { cookieIn } from '../session-auth.ts'
import { formPage, messagePage, PAGE_HEADERS } from './pages.ts'

const COOKIE = 'emissary_sign_in'
const MAX_BYTES = 128 * 1024
const STATUS = { request: 400, session: 403 } as const
const schema = { hide: true }

/** Authenticated by the session cookie. Registered in its own scope, because only these routes accept form bodies. */
export function ssoRoutes(app: Api, deps: ApiDeps): void {
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string', bodyLimit: MAX_BYTES },
    async (_request: FastifyRequest, text: string) => Object.fromEntries(new URLSearchParams(text)),
  )
  app.get(`${SIGN_IN_PATH}/session`, { schema }, async (request, reply) => {
    const session = await beginSession(deps, paramIn(request.query, 'token') ?? '')
    if (!session) return refuse(reply, 403, 'This sign-in link was used already or has expired.')
    reply.header('set-cookie', cookieOf(deps, session.cookie, SESSION_SECONDS))
    return reply.headers({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' }).redirect(session.next, 302)
  })
  app.get(`${SIGN_IN_PATH}/sign-in`, { schema }, (request, reply) => signIn(deps, request, reply, 'redirect'))
  app.post(`${SIGN_IN_PATH}/sign-in`, { schema }, (request, reply) => signIn(deps, request, reply, 'post'))
  app.get(`${SIGN_IN_PATH}/sign-out`, { schema }, async (request, reply) => {
    const cookie = cookieIn(request, COOKIE)
    if (cookie !== null) await endSession(deps, cookie)
    reply.header('set-cookie', cookieOf(deps, '', 0))
    return reply.headers(PAGE_HEADERS).send(messagePage('Signed out', 'This browser is signed out.'))
  })
}

async function signIn(deps: ApiDeps, request: FastifyRequest, reply: FastifyReply, binding: Binding): Promise<FastifyReply> {
  const given = binding === 'redirect' ? request.query : request.body
  const answer = await answerGoogle(deps, { samlRequest: paramIn(given, 'SAMLRequest') ?? '', binding, cookie: cookieIn(request, COOKIE) })
  if (answer.kind === 'refused') return refuse(reply, STATUS[answer.fault], answer.message)
  const relayState = paramIn(given, 'RelayState')
  const fields = { SAMLResponse: answer.samlResponse, ...(relayState !== null && { RelayState: relayState }) }
  return reply.headers(PAGE_HEADERS).send(formPage(answer.acsUrl, fields))
}

function refuse(reply: FastifyReply, status: number, message: string): FastifyReply {
  return reply.code(status).headers(PAGE_HEADERS).send(messagePage('Sign-in failed', message))
}

/** Null if the parameter is missing or repeated. */
function paramIn(given: unknown, name: string): string | null {
  const value: unknown = Object(given ?? {})[name]
  return typeof value === 'string' ? value : null
}

/** Google may return by a cross-site form POST, which needs SameSite=None. Browsers accept None only over TLS. */
function cookieOf({ publicUrl }: Pick<ApiDeps, 'publicUrl'>, value: string, seconds: number): string {
  const { protocol, pathname } = new URL(publicUrl())
  const rules = protocol === 'https:' ? 'SameSite=None; Secure' : 'SameSite=Lax'
  return `${COOKIE}=${value}; Path=${pathname.replace(/\/$/, '')}${SIGN_IN_PATH}; Max-Age=${seconds}; HttpOnly; ${rules}`
}
