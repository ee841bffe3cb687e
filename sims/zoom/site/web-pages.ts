// The pages of zoom.us and app.zoom.us: launcher, frame, web client, registration, home pages, and the error page.
import type { IncomingMessage, ServerResponse } from 'node:http'
import { bundleOf } from '../bundle.ts'
import type { MeetingServer } from './meeting.ts'
import { BOOT_ID, type WebBoot } from './web-boot.ts'
import { languageOf, WORDS } from './words.ts'

export type Visit = {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly url: URL
  readonly meeting: MeetingServer | undefined
}

const APP_HOST = 'app.zoom.us'
const CLIENT = 'web/main.ts'
const LAUNCHER = 'web/launcher.ts'
const SCRIPTS: Readonly<Record<string, string>> = {
  '/wc/assets/client.js': CLIENT,
  '/wc/assets/launcher.js': LAUNCHER,
  '/wc/assets/block.js': 'web/block.ts',
}
const CLIENT_PATH = /^\/wc\/(?:join\/\d+|\d+\/(?:join|start))$/
const LAUNCHER_PATH = /^\/[jsw]\/\d+$/
const BLOCK_PATH = /^\/wc\/_\/block\/\d+$/
const REGISTRATION_PATH = /^\/(meeting|webinar)\/register\/./
const LEFT_PATH = '/wc/leave'
/** Where the site sends its visitors after a meeting. */
const HOMES = { site: 'https://www.zoom.us/', client: `https://${APP_HOST}/wc/home` } as const
/** The outer page of the PWA puts the client into a frame with this mark. */
const IN_FRAME = 'inframe'
/** An isolated page may put these documents into a frame. */
const EVERYWHERE = { 'cross-origin-resource-policy': 'cross-origin' }
const ISOLATED = { 'cross-origin-opener-policy': 'same-origin', 'cross-origin-embedder-policy': 'require-corp' }

export async function answerWeb(visit: Visit): Promise<void> {
  const { response, url, meeting } = visit
  const script = SCRIPTS[url.pathname]
  if (script !== undefined) {
    const text = await bundleOf(script)
    return void response.writeHead(200, { ...ISOLATED, 'content-type': 'text/javascript; charset=utf-8' }).end(text)
  }
  const known = ownPage(url)
  if (known) return sendPage(response, known)
  if (url.pathname === LEFT_PATH) return redirect(response, HOMES[url.searchParams.get('home') === 'client' ? 'client' : 'site'])
  if (!meeting || meeting.landing === 'invalid_link') return sendPage(response, invalidLink())
  answerMeeting(visit, meeting)
}

function answerMeeting(visit: Visit, meeting: MeetingServer): void {
  const { response, url } = visit
  if (BLOCK_PATH.test(url.pathname))
    return void sendPage(response, scripted('Zoom', 'block', bootOf(meeting, url, visit.request, url.href)))
  if (meeting.landing === 'registration_page' && !url.searchParams.has('tk')) return void redirect(response, registrationOf(meeting))
  if (LAUNCHER_PATH.test(url.pathname)) return void launch(visit, meeting)
  if (!CLIENT_PATH.test(url.pathname)) return void sendPage(response, invalidLink())
  if (url.hostname !== APP_HOST) return void redirect(response, webUrlOf(meeting, url))
  sendPage(response, clientPage(visit, meeting))
}

function launch({ request, response, url }: Visit, meeting: MeetingServer): void {
  const to = webUrlOf(meeting, url)
  const prefersBrowser = url.searchParams.has('prefer') && url.searchParams.has('browser')
  if (meeting.scenario.web.launcher === 'skipped' || prefersBrowser) return void redirect(response, to)
  sendPage(response, scripted('Launch Meeting - Zoom', 'launcher', bootOf(meeting, url, request, to)))
}

function clientPage({ request, url }: Visit, meeting: MeetingServer): string {
  const isFramed = url.searchParams.has(IN_FRAME)
  if (meeting.scenario.web.frame === 'pwa' && !isFramed) return framePage(url)
  meeting.loads++
  return scripted('Zoom', 'client', bootOf(meeting, url, request, url.href))
}

function bootOf(meeting: MeetingServer, url: URL, { headers }: IncomingMessage, webUrl: string): WebBoot {
  const { scenario, number: meetingNumber, loads } = meeting
  const { web, topic, passcode } = scenario
  const language = web.language === 'browser' ? languageOf(headers['accept-language']) : web.language
  const given = url.searchParams.get('pwd') ?? ''
  const stalls = web.stall !== 'none' && loads <= web.stalls
  const isPastWall = web.walls !== null && loads > web.walls
  const shown = { ...web, landing: meeting.landing, ...(isPastWall ? { wall: 'none' as const } : {}) }
  return {
    words: WORDS[language],
    web: shown,
    meetingNumber,
    topic,
    needsPasscode: passcode !== '',
    passcode: given,
    stalls,
    webUrl,
    blockUrl: `https://verify.zoom.com/wc/_/block/${meetingNumber}`,
  }
}

function webUrlOf({ number }: MeetingServer, url: URL): string {
  const secrets = ['pwd', 'tk'].map((name) => [name, url.searchParams.get(name)] as const)
  return `https://${APP_HOST}/wc/${number}/join?fromPWA=1${secrets.map(([name, value]) => (value ? `&${name}=${value}` : '')).join('')}`
}

function framePage({ pathname, search }: URL): string {
  const source = `${pathname}${search}${search ? '&' : '?'}${IN_FRAME}=1`
  const allow = 'camera; microphone; display-capture; cross-origin-isolated'
  return page('Zoom', `<iframe id="webclient" class="pwa-webclient__iframe" src="${source}" allow="${allow}"></iframe>`)
}

function scripted(title: string, script: string, boot: WebBoot): string {
  const data = JSON.stringify(boot).replaceAll('<', '\\u003c')
  const root = '<div id="root"></div><div id="notificationManager"></div><div id="aria-notify-area"></div>'
  return page(
    title,
    `${root}<script type="application/json" id="${BOOT_ID}">${data}</script><script src="/wc/assets/${script}.js"></script>`,
  )
}

/** Pages of the site that belong to no meeting. */
function ownPage({ pathname }: URL): string | null {
  if (pathname === '/' || pathname === '/wc/home')
    return page('One platform to connect | Zoom', '<h1>Find out what’s possible when work connects</h1>')
  const [, kind] = REGISTRATION_PATH.exec(pathname) ?? []
  const fields = '<label>First Name <input></label><label>Email Address <input></label><button>Register</button>'
  return kind ? page(`${kind === 'webinar' ? 'Webinar' : 'Meeting'} Registration - Zoom`, `<h1>Topic</h1>${fields}`) : null
}

function registrationOf({ scenario }: MeetingServer): string {
  return `https://us02web.zoom.us/${scenario.kind}/register/${scenario.kind === 'webinar' ? 'WN_' : 'tZ'}Ab3dEf6hIj9kLm2`
}

function invalidLink(): string {
  return page('Error - Zoom', '<h1>Error</h1><span class="error-message">This meeting link is invalid (3,001)</span>')
}

const STYLE = `body{margin:0;font:14px sans-serif}iframe{width:100vw;height:100vh;border:0}[hidden]{display:none!important}
.preview{position:relative;width:600px}.preview-meeting-info{position:absolute;inset:0;z-index:2;pointer-events:auto}
.preview input,.preview .preview-controls{position:relative;z-index:3}video-player{display:block;width:160px;height:90px}
.grecaptcha-badge{position:fixed;bottom:14px;right:-186px;width:256px;height:60px;overflow:hidden}.grecaptcha-badge iframe{width:256px;height:60px}
video,canvas{width:100%;height:100%}.cookie-banner{position:fixed;inset:0;z-index:9;background:#fffc}
.zm-modal{position:fixed;top:20%;left:20%;z-index:8;background:#fff;padding:20px}`

function page(title: string, body: string): string {
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${title}</title><link rel="icon" href="data:,"><style>${STYLE}</style></head><body>${body}</body></html>`
}

function sendPage(response: ServerResponse, html: string): void {
  response.writeHead(200, { ...ISOLATED, ...EVERYWHERE, 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' }).end(html)
}

function redirect(response: ServerResponse, location: string): void {
  response.writeHead(302, { location }).end()
}
