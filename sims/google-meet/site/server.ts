// The site over HTTPS: the answer of each host and path. Meetings are found by the code in the address or in the referrer.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { LIVE_STREAM_URL, MARKETING_URL, signInUrl } from './addresses.ts'
import { type Assets, readAssets } from './assets.ts'
import { CAPTCHA_PAGE, LIVE_STREAM_PAGE, MARKETING_PAGE, meetingDocument, NOT_FOUND_PAGE, PLAIN_POLICY, SIGN_IN_PAGE } from './documents.ts'
import type { MeetingServer } from './meeting.ts'
import type { Asked } from './meeting-types.ts'
import { answerPage } from './page-calls.ts'
import { scenarioOf } from './scenario.ts'
import { PATHS } from './wire.ts'

/** Handles other hosts on the same port. True if it has answered. */
export type Mount = (request: IncomingMessage, response: ServerResponse) => boolean

export type Site = { handle(request: IncomingMessage, response: ServerResponse): Promise<void> }

type Parts = {
  readonly assets: Assets
  readonly meetings: ReadonlyMap<string, MeetingServer>
  readonly asked: Asked[]
  readonly mount: Mount
}

const NOT_MEETINGS: ReadonlySet<string> = new Set(['', 'landing', 'new', 'lookup', 'tel'])
const MODULE_HEADERS = { 'content-type': 'text/javascript; charset=utf-8', 'cache-control': 'max-age=3600' }
const SESSION_COOKIE = /(?:^|;\s*)(?:SID|__Secure-1PSID)=\S/

export function createSite(options: Omit<Parts, 'assets'>): Site {
  const parts = { ...options, assets: readAssets() }
  return {
    async handle(request, response) {
      if (parts.mount(request, response)) return
      const url = new URL(request.url ?? '/', `https://${request.headers.host ?? 'unknown'}`)
      const meeting = parts.meetings.get(codeOf(url, request)) ?? null
      if (meeting?.isNetworkDown) return void request.socket.destroy()
      const body = await text(request)
      const asked = {
        method: request.method ?? '',
        host: url.hostname,
        path: url.pathname,
        query: url.searchParams,
        body,
        atMs: Date.now(),
      }
      parts.asked.push(asked)
      meeting?.asked.push(asked)
      if (isOfAPage(url)) return answerPage(meeting, { request, response, asked })
      const { status, headers, content } = answerTo(parts.assets, meeting, url, request.headers.cookie)
      response.writeHead(status, { 'x-content-type-options': 'nosniff', ...headers }).end(content)
    },
  }
}

type Answer = { readonly status: number; readonly headers: Readonly<Record<string, string>>; readonly content: string }

function answerTo(assets: Assets, meeting: MeetingServer | null, url: URL, cookies = ''): Answer {
  if (url.hostname !== 'meet.google.com') return plain(url)
  const module = assets.modules.get(url.pathname.replace('/_/assets/', ''))
  if (module !== undefined) return { status: 200, headers: MODULE_HEADERS, content: module }
  const [code = '', ...rest] = url.pathname.slice(1).split('/')
  if (NOT_MEETINGS.has(code) || rest.length > 0) return redirect(MARKETING_URL)

  const hasSession = SESSION_COOKIE.test(cookies)
  const scenario = meeting?.scenario ?? scenarioOf({ landing: 'check_code' })
  if (scenario.landing === 'marketing') return redirect(MARKETING_URL)
  if (scenario.landing === 'live_stream') return redirect(LIVE_STREAM_URL)
  if (scenario.landing === 'sign_in' && !hasSession) return redirect(signInUrl(url.href))
  const { isTurnedAway, cookie } = meeting?.arrivals.receive(cookies, hasSession) ?? { isTurnedAway: false, cookie: null }
  const { html, policy } = meetingDocument(assets, { code, scenario, hl: url.searchParams.get('hl'), hasSession, isTurnedAway })
  const permissions = 'camera=(self), microphone=(self), display-capture=(self)'
  return document(200, html, policy, {
    'permissions-policy': permissions,
    'x-frame-options': 'SAMEORIGIN',
    ...(cookie && { 'set-cookie': cookie }),
  })
}

const PLAIN: Readonly<Record<string, string>> = {
  'accounts.google.com': SIGN_IN_PAGE,
  'workspace.google.com': MARKETING_PAGE,
  'www.google.com': CAPTCHA_PAGE,
  'stream.meet.google.com': LIVE_STREAM_PAGE,
}

function plain({ hostname }: URL): Answer {
  const html = PLAIN[hostname]
  return document(html ? 200 : 404, html ?? NOT_FOUND_PAGE, PLAIN_POLICY)
}

function document(status: number, content: string, policy: string, more: Answer['headers'] = {}): Answer {
  const headers = { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': policy, 'cache-control': 'no-store', ...more }
  return { status, headers, content }
}

function redirect(location: string): Answer {
  return { status: 302, headers: { location }, content: '' }
}

function isOfAPage({ hostname, pathname }: URL): boolean {
  return hostname === 'meet.google.com' && (pathname.startsWith('/$rpc/') || pathname === PATHS.events || pathname === PATHS.press)
}

/** A page's requests have no code in their address, but their referrer has it. */
function codeOf(url: URL, { headers }: IncomingMessage): string {
  const isMeeting = url.hostname === 'meet.google.com' && !/^\/[$_]/.test(url.pathname)
  return (isMeeting ? url : new URL(headers.referer ?? 'https://meet.google.com/')).pathname.slice(1)
}
