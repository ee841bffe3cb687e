// Google's accounts: redirects to an organisation's own sign-in, checks the answer as strictly as Google, and sets cookies.
import { randomBytes } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { accountPage, addressPage, challengePage, errorPage, passwordPage, refusedPage, speedBumpPage } from './pages.ts'
import { authnRequest, check } from './service-provider.ts'

export const GOOGLE_ACCOUNTS_HOSTS: readonly string[] = ['accounts.google.com', 'www.google.com', 'myaccount.google.com', 'mail.google.com']

export type Organisation = {
  /** As configured in the organisation's SSO profile. */
  readonly signInUrl: string
  readonly certificate: string
  readonly users: readonly string[]
  /** The profile demands an issuer that names the domain. */
  readonly ownIssuer?: boolean
}

export type GoogleAccountsOptions = {
  /** By domain. Read at every request. */
  readonly organisations: Readonly<Record<string, Organisation>>
  readonly now?: () => Date
  /** The address page, the speed bump, a second factor, or a refusal. Read at every request. */
  readonly obstacles?: ReadonlySet<'address' | 'speed bump' | 'challenge' | 'refusal'>
}

type Reply = { readonly status?: number; readonly to?: string; readonly page?: string; readonly cookies?: readonly string[] }
type Visit = {
  readonly host: string
  readonly path: string
  readonly query: URLSearchParams
  readonly form: URLSearchParams
  readonly cookies: string | undefined
}

const AFTERWARDS = 'https://myaccount.google.com/'
const COOKIES = ['SID', 'HSID', 'SSID', 'APISID', 'SAPISID', '__Secure-1PSID', '__Secure-3PSID', 'SIDCC']

export class GoogleAccounts {
  /** The result of each SAML answer: an address, or Google's error text. */
  readonly verdicts: string[] = []
  readonly #options: GoogleAccountsOptions
  readonly #asked = new Set<string>()
  readonly #sessions = new Map<string, string>()
  /** Accounts with a valid answer that have not pressed Continue yet. */
  readonly #bumped = new Map<string, { readonly email: string; readonly next: string }>()
  readonly #routes: readonly (readonly [RegExp, (visit: Visit, found: string) => Reply])[] = [
    [/^GET www\.google\.com\/a\/([^/]+)\/ServiceLogin$/, (visit, domain) => this.#start(domain, visit)],
    [/^POST www\.google\.com\/a\/([^/]+)\/acs$/, ({ form }, domain) => this.#consume(domain, form)],
    [/^(?:GET|POST) accounts\.google\.com\/v3\/signin\/identifier$/, (visit) => this.#address(visit)],
    [/^GET accounts\.google\.com\/v3\/signin\/challenge\//, () => ({ page: challengePage('somebody') })],
    [/^(GET|POST) accounts\.google\.com\/speedbump\/samlconfirmaccount$/, (visit, method) => this.#bump(visit, method === 'POST')],
    [/^GET accounts\.google\.com\/CheckCookie$/, ({ query }) => ({ to: query.get('continue') ?? AFTERWARDS })],
    [/^GET (?:myaccount|mail)\.google\.com\//, (visit) => this.#account(visit)],
  ]

  constructor(options: GoogleAccountsOptions) {
    this.#options = options
  }

  /** Handles requests to these hosts. False for all others. */
  handle(request: IncomingMessage, response: ServerResponse): boolean {
    const host = (request.headers.host ?? '').replace(/:\d+$/, '')
    if (!GOOGLE_ACCOUNTS_HOSTS.includes(host)) return false
    void text(request).then((body) => {
      const { pathname: path, searchParams: query } = new URL(request.url ?? '/', 'https://sim')
      const visit = { host, path, query, form: new URLSearchParams(body), cookies: request.headers.cookie }
      const { status, to, page = '', cookies = [] } = this.#answer(request.method ?? 'GET', visit)
      const headers = { 'content-type': 'text/html; charset=utf-8', 'set-cookie': [...cookies], ...(to && { location: to }) }
      response.writeHead(status ?? (to ? 302 : 200), headers).end(page)
    })
    return true
  }

  /** The account of a request's cookies. */
  signedInAs(cookies: string | undefined): string | null {
    return this.#sessions.get(/(?:^|;\s*)SID=([^;]+)/.exec(cookies ?? '')?.[1] ?? '') ?? null
  }

  #answer(method: string, visit: Visit): Reply {
    for (const [pattern, reply] of this.#routes) {
      const found = pattern.exec(`${method} ${visit.host}${visit.path}`)
      if (found) return reply(visit, found[1] ?? '')
    }
    return { status: 404, page: errorPage('The requested URL was not found on this server.') }
  }

  #stands(obstacle: 'address' | 'speed bump' | 'challenge' | 'refusal'): boolean {
    return this.#options.obstacles?.has(obstacle) ?? false
  }

  #start(domain: string, { query, cookies }: Visit): Reply {
    const next = query.get('continue') ?? AFTERWARDS
    if (this.signedInAs(cookies)) return { to: next }
    if (this.#stands('address')) return { to: `https://accounts.google.com/v3/signin/identifier?continue=${encodeURIComponent(next)}` }
    return this.#ask(domain, next)
  }

  /** Redirects the browser to the organisation's own sign-in. */
  #ask(domain: string, next: string): Reply {
    const organisation = this.#options.organisations[domain]
    if (!organisation) return { page: errorPage('This domain is not configured to use single sign-on.') }
    const id = `_${randomBytes(16).toString('hex')}`
    this.#asked.add(id)
    const address = new URL(organisation.signInUrl)
    address.searchParams.set('SAMLRequest', authnRequest({ id, ...partner(domain, organisation), at: this.#now() }))
    address.searchParams.set('RelayState', `https://accounts.google.com/CheckCookie?continue=${encodeURIComponent(next)}&service=mail`)
    return { to: address.href }
  }

  #consume(domain: string, form: URLSearchParams): Reply {
    const organisation = this.#options.organisations[domain]
    const [encoded, relayState] = [form.get('SAMLResponse'), form.get('RelayState')]
    if (!organisation || !encoded || !relayState)
      return { status: 400, page: errorPage('The required response parameter SAMLResponse was missing.') }
    const { issuer: audience, acsUrl } = partner(domain, organisation)
    const expected = { certificate: organisation.certificate, audience, acsUrl, at: this.#now() }
    const verdict = check(encoded, { ...expected, asked: (id) => this.#asked.delete(id) })
    this.verdicts.push(verdict.kind === 'error' ? verdict.sentence : verdict.email)
    if (verdict.kind === 'error') return { page: errorPage(verdict.sentence) }
    if (organisation.users.includes(verdict.email)) return this.#welcome(verdict.email, relayState)
    return { page: errorPage('This account cannot be accessed because the user does not exist in this organization.') }
  }

  #welcome(email: string, next: string): Reply {
    if (this.#stands('refusal')) return { page: refusedPage() }
    if (this.#stands('challenge')) return { to: 'https://accounts.google.com/v3/signin/challenge/dp?TL=x' }
    if (!this.#stands('speed bump')) return this.#signIn(email, next)
    const ticket = randomBytes(12).toString('hex')
    this.#bumped.set(ticket, { email, next })
    return { to: `https://accounts.google.com/speedbump/samlconfirmaccount?service=mail&TL=${ticket}` }
  }

  #bump({ query }: Visit, isPressed: boolean): Reply {
    const ticket = query.get('TL') ?? ''
    const waiting = this.#bumped.get(ticket)
    if (!waiting) return { status: 400, page: errorPage('The page you requested is invalid.') }
    if (!isPressed) return { page: speedBumpPage(waiting.email, `/speedbump/samlconfirmaccount?TL=${ticket}`) }
    this.#bumped.delete(ticket)
    return this.#signIn(waiting.email, waiting.next)
  }

  #signIn(email: string, next: string): Reply {
    const secret = randomBytes(16).toString('hex')
    this.#sessions.set(secret, email)
    const rules = 'Domain=.google.com; Path=/; Secure; HttpOnly'
    return { to: next, cookies: COOKIES.map((name) => `${name}=${name === 'SID' ? secret : randomBytes(8).toString('hex')}; ${rules}`) }
  }

  #address({ query, form }: Visit): Reply {
    const [email, next] = [form.get('identifier'), form.get('continue') ?? query.get('continue') ?? AFTERWARDS]
    if (email === null) return { page: addressPage(next) }
    const domain = email.split('@')[1] ?? ''
    if (this.#options.organisations[domain]) return this.#ask(domain, next)
    return { page: domain === 'gmail.com' ? passwordPage(email) : addressPage(next, 'Couldn’t find your Google Account') }
  }

  #account({ cookies }: Visit): Reply {
    const email = this.signedInAs(cookies)
    return email ? { page: accountPage(email) } : { to: 'https://accounts.google.com/v3/signin/identifier' }
  }

  #now(): Date {
    return this.#options.now?.() ?? new Date()
  }
}

export function googleAccounts(options: GoogleAccountsOptions): GoogleAccounts {
  return new GoogleAccounts(options)
}

function partner(domain: string, { ownIssuer }: Organisation): { readonly issuer: string; readonly acsUrl: string } {
  return { issuer: ownIssuer ? `google.com/a/${domain}` : 'google.com', acsUrl: `https://www.google.com/a/${domain}/acs` }
}
