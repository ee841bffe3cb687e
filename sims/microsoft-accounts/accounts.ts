// Microsoft's accounts: e-mail, password and "stay signed in" on login.microsoftonline.com, and tokens for registered applications.
import { randomBytes } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { addressPage, errorPage, landingPage, OBSTACLES, passwordPage, stayPage } from './pages.ts'

export type MicrosoftAccount = {
  readonly email: string
  readonly password: string
  readonly name: string
  /** The page that follows the right password. */
  readonly obstacle?: keyof typeof OBSTACLES
  readonly locked?: boolean
}

export type MicrosoftAccountsOptions = {
  /** Read at every request. */
  readonly accounts: readonly MicrosoftAccount[]
  /** Applications of the Bot Identification Program: client id to secret. */
  readonly applications?: Readonly<Record<string, string>>
  /** The lifetime of their tokens. */
  readonly tokenSeconds?: number
  /** Whether "Stay signed in?" is asked. */
  readonly asksToStay?: boolean
}

const SIGN_IN_HOSTS: readonly string[] = [
  'login.microsoftonline.com',
  'login.microsoftonline.us',
  'login.microsoftonline.de',
  'login.partner.microsoftonline.cn',
  'login.microsoft.com',
  'login.windows.net',
  'login.live.com',
]
const OFFICE_HOSTS: readonly string[] = ['www.office.com', 'office.com', 'm365.cloud.microsoft']
const MICROSOFT_ACCOUNTS_HOSTS: readonly string[] = [...SIGN_IN_HOSTS, ...OFFICE_HOSTS]

const UNKNOWN = 'This username may be incorrect. Make sure you typed it correctly. Otherwise, contact your admin.'
const EMPTY = 'Enter a valid email address, phone number, or Skype name.'
const WRONG = "Your account or password is incorrect. If you don't remember your password, reset it now."
const LOCKED =
  'Your account is temporarily locked to prevent unauthorized use. Try again later, and if you still have trouble, contact your admin.'
const MOST_TRIES = 10
const BOT_SCOPE = 'https://ic3.teams.office.com/.default'
const TOKEN_PATH = '/oauth2/v2.0/token'
const TOKEN_SECONDS = 3_599

type Reply = { readonly status?: number; readonly to?: string; readonly page?: string; readonly json?: unknown }
type Visit = { readonly host: string; readonly path: string; readonly query: URLSearchParams; readonly form: URLSearchParams }
type SignIn = { readonly account: MicrosoftAccount; readonly next: string }

export class MicrosoftAccounts {
  /** Every attempt to sign in, with its outcome. */
  readonly attempts: { readonly email: string; readonly outcome: 'unknown' | 'wrong' | 'locked' | 'obstacle' | 'signed_in' }[] = []
  /** Tokens of registered applications, in the order of issue. */
  readonly tokens: string[] = []
  readonly #options: MicrosoftAccountsOptions
  readonly #signIns = new Map<string, SignIn>()
  readonly #tries = new Map<string, number>()

  constructor(options: MicrosoftAccountsOptions) {
    this.#options = options
  }

  /** Handles requests to these hosts. False for all others. */
  handle(request: IncomingMessage, response: ServerResponse): boolean {
    const host = (request.headers.host ?? '').replace(/:\d+$/, '')
    if (!MICROSOFT_ACCOUNTS_HOSTS.includes(host)) return false
    void text(request).then((body) => {
      const { pathname: path, searchParams: query } = new URL(request.url ?? '/', 'https://sim')
      const reply = this.#answer({ host, path, query, form: new URLSearchParams(body) }, request.method === 'POST')
      send(response, reply)
    })
    return true
  }

  /** The account of a ticket that this site issued. A ticket is valid once. */
  redeem(ticket: string): MicrosoftAccount | null {
    const signIn = this.#signIns.get(ticket)
    this.#signIns.delete(ticket)
    return signIn?.account ?? null
  }

  /** A request to the token endpoint by a program instead of a browser. */
  async handleToken(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const form = new URLSearchParams(await text(request))
    const path = request.url ?? '/'
    send(
      response,
      path.endsWith(TOKEN_PATH) ? this.#token({ host: '', path, query: new URLSearchParams(), form }) : { status: 404, json: {} },
    )
  }

  /** Teams checks the token that a bot brings in its link. */
  isRegistered(token: string): boolean {
    return this.tokens.includes(token) && expiryOf(token) > Date.now()
  }

  #answer(visit: Visit, isForm: boolean): Reply {
    if (OFFICE_HOSTS.includes(visit.host)) return this.#office(visit)
    if (visit.path.endsWith(TOKEN_PATH)) return this.#token(visit)
    if (!isForm) return { page: addressPage(visit.query.get('login_hint') ?? '', '') }
    if (visit.form.has('ticket')) return this.#goOn(visit.form.get('ticket') ?? '')
    return visit.form.has('passwd') ? this.#password(visit) : this.#address(visit)
  }

  /** `www.office.com/login` leads to the sign-in pages. A signed-in browser gets the home page. */
  #office({ path, query }: Visit): Reply {
    if (path !== '/login') return { page: landingPage(query.get('name') ?? '') }
    return { to: signInUrl('https://www.office.com/?auth=2') }
  }

  #address({ form }: Visit): Reply {
    const email = (form.get('loginfmt') ?? '').trim()
    if (!email.includes('@')) return { page: addressPage(email, EMPTY) }
    if (this.#account(email)) return { page: passwordPage(email, '') }
    this.attempts.push({ email, outcome: 'unknown' })
    return { page: addressPage(email, UNKNOWN) }
  }

  #password({ form, query }: Visit): Reply {
    const email = form.get('loginfmt') ?? ''
    const account = this.#account(email)
    const tries = (this.#tries.get(email) ?? 0) + 1
    this.#tries.set(email, tries)
    if (account?.locked || tries > MOST_TRIES) return this.#refused(email, 'locked', passwordPage(email, LOCKED))
    if (!account || form.get('passwd') !== account.password) return this.#refused(email, 'wrong', passwordPage(email, WRONG))
    if (account.obstacle) return this.#refused(email, 'obstacle', OBSTACLES[account.obstacle])
    this.#tries.delete(email)
    this.attempts.push({ email, outcome: 'signed_in' })
    const ticket = randomBytes(12).toString('hex')
    this.#signIns.set(ticket, { account, next: query.get('redirect_uri') ?? 'https://www.office.com/?auth=2' })
    return this.#options.asksToStay === false ? this.#goOn(ticket) : { page: stayPage(ticket) }
  }

  #refused(email: string, outcome: 'wrong' | 'locked' | 'obstacle', page: string): Reply {
    this.attempts.push({ email, outcome })
    return { page }
  }

  /** Through Teams, which exchanges the ticket for its own session. */
  #goOn(ticket: string): Reply {
    const signIn = this.#signIns.get(ticket)
    if (!signIn) return { status: 400, page: errorPage('AADSTS165000: Invalid Request: the request tokens do not match.') }
    return { to: `https://teams.microsoft.com/v2/_/session?ticket=${ticket}&next=${encodeURIComponent(signIn.next)}` }
  }

  #token({ form }: Visit): Reply {
    const secret = this.#options.applications?.[form.get('client_id') ?? '']
    if (form.get('grant_type') !== 'client_credentials') return oauthError('unsupported_grant_type')
    if (secret === undefined || secret !== form.get('client_secret')) return oauthError('invalid_client')
    if (form.get('scope') !== BOT_SCOPE) return oauthError('invalid_scope')
    const { tokenSeconds = TOKEN_SECONDS } = this.#options
    const token = ['{"alg":"RS256"}', `{"exp":${Math.floor(Date.now() / 1000) + tokenSeconds}}`, randomBytes(8).toString('hex')]
      .map((part) => Buffer.from(part).toString('base64url'))
      .join('.')
    this.tokens.push(token)
    return { json: { token_type: 'Bearer', expires_in: tokenSeconds, access_token: token } }
  }

  #account(email: string): MicrosoftAccount | undefined {
    return this.#options.accounts.find((it) => it.email.toLowerCase() === email.toLowerCase())
  }
}

export function signInUrl(next: string): string {
  const query = new URLSearchParams({ client_id: '5e3ce6c0-2b1f-4285-8d4b-75ee78787346', response_type: 'code', redirect_uri: next })
  return `https://login.microsoftonline.com/common/oauth2/v2.0/authorize?${query}`
}

function expiryOf(token: string): number {
  const [, claims = ''] = token.split('.')
  const { exp } = JSON.parse(Buffer.from(claims, 'base64url').toString()) as { readonly exp: number }
  return exp * 1000
}

function oauthError(error: string): Reply {
  return { status: error === 'invalid_client' ? 401 : 400, json: { error, error_description: `AADSTS: ${error}` } }
}

function send(response: ServerResponse, { status, to, page, json }: Reply): void {
  const type = json === undefined ? 'text/html; charset=utf-8' : 'application/json'
  response.writeHead(status ?? (to ? 302 : 200), { 'content-type': type, 'cache-control': 'no-store', ...(to && { location: to }) })
  response.end(json === undefined ? page : JSON.stringify(json))
}
