// The signed-in browsers and tabs. The session moves with its tab to teams.cloud.microsoft, and a new tab is a guest's.
import { randomBytes } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { MicrosoftAccounts } from '../../microsoft-accounts/accounts.ts'
import { MEETING_PATH } from './links.ts'

const COOKIE = 'authtoken'

export class Sessions {
  readonly #accounts: MicrosoftAccounts
  /** Names by secret, of signed-in browsers and of tabs that have moved. */
  readonly #browsers = new Map<string, string>()
  readonly #tabs = new Map<string, string>()

  constructor(accounts: MicrosoftAccounts) {
    this.#accounts = accounts
  }

  /** Exchanges a ticket of the sign-in pages for a cookie and returns to where the sign-in began. */
  open(url: URL, response: ServerResponse): void {
    const account = this.#accounts.redeem(url.searchParams.get('ticket') ?? '')
    if (!account) return void response.writeHead(401).end()
    const secret = randomBytes(12).toString('hex')
    this.#browsers.set(secret, account.name)
    const cookie = `${COOKIE}=${secret}; Path=/; Secure; HttpOnly; SameSite=None`
    response.writeHead(302, { 'set-cookie': cookie, location: url.searchParams.get('next') ?? '/' }).end()
  }

  /** Redirect headers for the first document of teams.microsoft.com that a signed-in browser requests. */
  move(url: URL, { headers }: IncomingMessage): Readonly<Record<string, string>> | null {
    const secret = new RegExp(`(?:^|;\\s*)${COOKIE}=([^;]+)`).exec(headers.cookie ?? '')?.[1] ?? ''
    const name = this.#browsers.get(secret)
    if (name === undefined || url.hostname !== 'teams.microsoft.com') return null
    this.#browsers.delete(secret)
    const tab = randomBytes(12).toString('hex')
    this.#tabs.set(tab, name)
    const isLink = MEETING_PATH.test(url.pathname)
    // A redirect without a fragment keeps that of the address.
    const fragment = isLink ? `#${url.pathname}${url.search}` : ''
    const location = `https://teams.cloud.microsoft/v2/?meetingjoin=true&auth=${tab}${fragment}`
    return { location, 'set-cookie': `${COOKIE}=; Path=/; Max-Age=0; Secure; HttpOnly; SameSite=None` }
  }

  nameOf(tab: string | readonly string[] | undefined): string | null {
    return typeof tab === 'string' ? (this.#tabs.get(tab) ?? null) : null
  }
}
