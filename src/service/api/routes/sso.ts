// Where bots' browsers sign in to Google Workspace: a link opens a session, and Google sends the browser back here to be vouched for.
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Binding } from '../../sso/authn-request.ts'
import { PAGE_HEADERS, postingPage, sayingPage } from '../../sso/pages.ts'
import { answerGoogle, beginSession, endSession, SESSION_SECONDS, SIGN_IN_PATH } from '../../sso/sign-in.ts'
import type { Api, ApiDeps } from '../deps.ts'

const COOKIE = 'emissary_sign_in'
const MOST_BYTES = 128 * 1024
const STATUS = { request: 400, session: 403 } as const
const schema = { hide: true }

/** No key: a browser shows what it was given. In a scope of its own, for forms are taken nowhere else. */
export function ssoRoutes(app: Api, deps: ApiDeps): void {
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string', bodyLimit: MOST_BYTES },
    async (_request: FastifyRequest, text: string) => Object.fromEntries(new URLSearchParams(text)),
  )
  app.get(`${SIGN_IN_PATH}/session`, { schema }, async (request, reply) => {
    const session = await beginSession(deps, wordIn(request.query, 'token') ?? '')
    if (!session) return refuse(reply, 403, 'This link was used before, or its time is over.')
    reply.header('set-cookie', cookieOf(deps, session.cookie, SESSION_SECONDS))
    return reply.headers({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' }).redirect(session.next, 302)
  })
  app.get(`${SIGN_IN_PATH}/sign-in`, { schema }, (request, reply) => signIn(deps, request, reply, 'redirect'))
  app.post(`${SIGN_IN_PATH}/sign-in`, { schema }, (request, reply) => signIn(deps, request, reply, 'post'))
  app.get(`${SIGN_IN_PATH}/sign-out`, { schema }, async (request, reply) => {
    const cookie = cookieIn(request)
    if (cookie !== null) await endSession(deps, cookie)
    reply.header('set-cookie', cookieOf(deps, '', 0))
    return reply.headers(PAGE_HEADERS).send(sayingPage('Signed out', 'This browser is nobody any more.'))
  })
}

async function signIn(deps: ApiDeps, request: FastifyRequest, reply: FastifyReply, binding: Binding): Promise<FastifyReply> {
  const given = binding === 'redirect' ? request.query : request.body
  const answer = await answerGoogle(deps, { samlRequest: wordIn(given, 'SAMLRequest') ?? '', binding, cookie: cookieIn(request) })
  if (answer.kind === 'refused') return refuse(reply, STATUS[answer.fault], answer.message)
  const relayState = wordIn(given, 'RelayState')
  const fields = { SAMLResponse: answer.samlResponse, ...(relayState !== null && { RelayState: relayState }) }
  return reply.headers(PAGE_HEADERS).send(postingPage(answer.acsUrl, fields))
}

function refuse(reply: FastifyReply, status: number, message: string): FastifyReply {
  return reply.code(status).headers(PAGE_HEADERS).send(sayingPage('Sign-in failed', message))
}

/** Null where it is missing, or given twice. */
function wordIn(given: unknown, name: string): string | null {
  const value: unknown = Object(given ?? {})[name]
  return typeof value === 'string' ? value : null
}

function cookieIn({ headers }: FastifyRequest): string | null {
  const found = headers.cookie?.split(/;\s*/).find((it) => it.startsWith(`${COOKIE}=`))
  return found?.slice(COOKIE.length + 1) || null
}

/** Google may bring the browser back by a form, and only `None` lets a cookie come along with one; browsers want TLS for that. */
function cookieOf({ publicUrl }: Pick<ApiDeps, 'publicUrl'>, value: string, seconds: number): string {
  const { protocol, pathname } = new URL(publicUrl())
  const rules = protocol === 'https:' ? 'SameSite=None; Secure' : 'SameSite=Lax'
  return `${COOKIE}=${value}; Path=${pathname.replace(/\/$/, '')}${SIGN_IN_PATH}; Max-Age=${seconds}; HttpOnly; ${rules}`
}
