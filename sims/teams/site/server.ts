// The site over HTTPS: the answer of each host and path.
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { text } from 'node:stream/consumers'
import { WebSocketServer } from 'ws'
import type { MicrosoftAccounts } from '../../microsoft-accounts/accounts.ts'
import { urlOf } from '../../site/serve.ts'
import { bootOf, type Load, launcherBoot } from './boots.ts'
import type { Asked } from './control.ts'
import { appDocument, type Document, launcherDocument, MODULES, plainDocument } from './documents.ts'
import { APP_HOSTS, findLink, launcherPath, MEETING_PATH } from './links.ts'
import type { MeetingServer } from './meeting.ts'
import { answerPage, json } from './page-calls.ts'
import { Sessions } from './sessions.ts'
import { ASSETS, CONVERSATION_HEADER, PATHS, TAB_HEADER } from './wire.ts'

export type SiteOptions = {
  /** By conversation id and by digits. */
  readonly meetings: ReadonlyMap<string, MeetingServer>
  readonly asked: Asked[]
  readonly accounts: MicrosoftAccounts
}

type Visit = { readonly request: IncomingMessage; readonly response: ServerResponse; readonly url: URL; readonly body: string }

type Answer = { readonly status: number; readonly headers: Readonly<Record<string, string>>; readonly content: string }

const SNAPSHOT_HOST = 'api.flightproxy.teams.microsoft.com'
const TROUTER_HOST = 'go.trouter.teams.microsoft.com'
const MODULE_HEADERS = { 'content-type': 'text/javascript; charset=utf-8', 'cache-control': 'max-age=3600' }
const STATUSES: Readonly<Record<string, number>> = { http_404: 404, http_410: 410, http_503: 503 }

export class Site {
  readonly #options: SiteOptions
  readonly #sessions: Sessions
  readonly #sockets = new WebSocketServer({ noServer: true })

  constructor(options: SiteOptions) {
    this.#options = options
    this.#sessions = new Sessions(options.accounts)
  }

  async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (this.#options.accounts.handle(request, response)) return
    const url = urlOf(request)
    const meeting = this.#meetingOf(request, url)
    if (meeting?.isNetworkDown) return void request.socket.destroy()
    const body = await text(request)
    const asked = { method: request.method ?? '', host: url.hostname, path: url.pathname, body, atMs: Date.now() }
    this.#options.asked.push(asked)
    meeting?.asked.push(asked)
    const visit = { request, response, url, body }
    if (APP_HOSTS.includes(url.hostname) && url.pathname.startsWith('/v2/_/')) return this.#answerPage(visit, meeting, asked)
    const { status, headers, content } = this.#answer(visit, meeting)
    response.writeHead(status, { ...headers }).end(content)
  }

  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const url = urlOf(request)
    const meeting = this.#meetingOf(request, url)
    if (url.hostname !== TROUTER_HOST || !meeting || meeting.isNetworkDown) return void socket.destroy()
    this.#sockets.handleUpgrade(request, socket, head, (opened) => meeting.connect(url.searchParams.get('epid') ?? '', opened))
  }

  async #answerPage({ request, response, url, body }: Visit, meeting: MeetingServer | null, asked: Asked): Promise<void> {
    if (url.pathname === PATHS.session) return this.#sessions.open(url, response)
    const accountName = this.#sessions.nameOf(request.headers[TAB_HEADER])
    if (url.pathname === PATHS.boot || url.pathname === PATHS.launcher) {
      const { href } = JSON.parse(body) as { readonly href: string }
      const load: Load = { href, acceptLanguage: request.headers['accept-language'], accountName, meeting: this.#meetingAt(href) }
      return json(response, url.pathname === PATHS.boot ? bootOf(load) : launcherBoot(load))
    }
    if (!meeting) return void response.writeHead(404).end()
    await answerPage(meeting, { request, response, asked, accountName })
  }

  #answer({ request, url }: Visit, meeting: MeetingServer | null): Answer {
    if (url.hostname === 'www.google.com') return redirect(url.searchParams.get('q') ?? '/')
    if (url.hostname === SNAPSHOT_HOST) return snapshot(request, meeting, url.searchParams.get('room') ?? '')
    if (!APP_HOSTS.includes(url.hostname)) return page(404, plainDocument('Not found', 'There is no such host.'))
    const module = MODULES.get(url.pathname.replace(ASSETS, ''))
    if (module !== undefined) return { status: 200, headers: MODULE_HEADERS, content: module }
    const status = STATUSES[meeting?.scenario.landing ?? '']
    if (status !== undefined) return page(status, plainDocument(`HTTP ${status}`, 'Something went wrong.'))
    const moved = this.#sessions.move(url, request)
    return moved ? { status: 302, headers: moved, content: '' } : documentAt(url, meeting)
  }

  #meetingAt(href: string): MeetingServer | null {
    return this.#options.meetings.get(findLink(href)?.key ?? '') ?? null
  }

  #meetingOf({ headers }: IncomingMessage, url: URL): MeetingServer | null {
    const named = headers[CONVERSATION_HEADER] ?? url.searchParams.get('conversation')
    return (typeof named === 'string' ? this.#options.meetings.get(named) : undefined) ?? this.#meetingAt(url.href)
  }
}

function documentAt(url: URL, meeting: MeetingServer | null): Answer {
  if (MEETING_PATH.test(url.pathname)) return redirect(wayIn(url))
  if (url.pathname === '/dl/launcher/launcher.html') return page(200, launcherDocument(meeting?.scenario.launcher !== 'skipped'))
  if (url.pathname === '/v2/' || url.pathname === '/light-meetings/launch') return page(200, appDocument())
  return page(200, plainDocument('Microsoft Teams', 'This page is not a meeting.'))
}

function wayIn({ pathname, search }: URL): string {
  const anonymous = `${pathname}${search}${search ? '&' : '?'}anon=true`
  return launcherPath(anonymous, pathname.startsWith('/meet/') ? 'meet' : 'meetup-join')
}

/** The whole roster for late joiners. The page requests it from another origin. */
function snapshot({ method, headers }: IncomingMessage, meeting: MeetingServer | null, room: string): Answer {
  const cors = { 'access-control-allow-origin': headers.origin ?? '*', 'access-control-allow-headers': '*' }
  if (method === 'OPTIONS') return { status: 204, headers: cors, content: '' }
  const roster = meeting?.room(room).roster.snapshot() ?? { participants: {} }
  return { status: meeting ? 200 : 404, headers: { ...cors, 'content-type': 'application/json' }, content: JSON.stringify(roster) }
}

function page(status: number, { html, policy }: Document): Answer {
  const permissions = 'camera=(self), microphone=(self), display-capture=(self)'
  const headers = { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': policy, 'cache-control': 'no-store' }
  return { status, headers: { ...headers, 'permissions-policy': permissions, 'x-content-type-options': 'nosniff' }, content: html }
}

function redirect(location: string): Answer {
  return { status: 302, headers: { location }, content: '' }
}
