/// <reference lib="dom" />
// A page of an app with Zoom's Web Meeting SDK, in a plain browser that reaches the simulated Zoom.
import { createHmac } from 'node:crypto'
import { readFile, rm } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { extname, join, normalize } from 'node:path'
import { type Browser, chromium, type Page } from 'playwright-core'
import { onTestFinished } from 'vitest'
import { makeSdkFolder } from '../../../sims/zoom/sdk-folder.ts'
import { type Differences, type Meeting, startZoom, type Zoom } from '../../../sims/zoom/zoom.ts'
import { until } from '../until.ts'

type Joined = { readonly meeting: Meeting; readonly page: Page }
type JoinOptions = Readonly<Record<string, string>> & { readonly signature?: string }
/** A callback or an event of the SDK, in order of time. */
export type Happening = { readonly what: string; readonly data: Readonly<Record<string, unknown>> | null }

const FLAGS = [
  ...['--headless=new', '--no-sandbox', '--disable-gpu', '--disable-background-networking', '--mute-audio'],
  ...['--allow-loopback-in-peer-connection', '--use-fake-device-for-media-stream', '--autoplay-policy=no-user-gesture-required'],
]
const BROWSER_MS = 20_000
const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript',
  '.json': 'application/json',
  '.css': 'text/css',
  '.wasm': 'application/wasm',
}
const ISOLATED = { 'cross-origin-opener-policy': 'same-origin', 'cross-origin-embedder-policy': 'require-corp' }
const VENDOR = ['react', 'react-dom', 'redux', 'redux-thunk', 'lodash', 'react-redux']

export type ZoomBrowser = {
  readonly zoom: Zoom
  readonly address: string
  /** A page that has loaded the SDK and called `init`. The script runs before all others. */
  open(script?: () => void): Promise<Page>
  /** Calls `join` for a page that is open. */
  enter(page: Page, meeting: Meeting, options?: JoinOptions): Promise<void>
  /** A meeting of its own, and a page that has called `join`. */
  join(differences?: Differences, options?: JoinOptions): Promise<Joined>
  close(): Promise<void>
}

/** With the double of the SDK, unless the folder of another one is given. */
export async function openZoom(given?: string): Promise<ZoomBrowser> {
  const [zoom, folder] = [await startZoom(), given ?? (await makeSdkFolder())]
  const server = await serve(folder)
  const { port } = server.address() as AddressInfo
  const address = `http://127.0.0.1:${port}`
  const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', headless: false, args: [...FLAGS, ...zoom.flags] })
  const open = (script?: () => void) => openPage(browser, address, script)
  const enter = (page: Page, meeting: Meeting, options?: JoinOptions) => callJoin(page, zoom, meeting, options)
  return {
    zoom,
    address,
    open,
    enter,
    async join(differences, options = {}) {
      const meeting = zoom.meeting(differences)
      const page = await open()
      await enter(page, meeting, options)
      return { meeting, page }
    },
    async close() {
      await browser.close()
      await zoom.stop()
      server.closeAllConnections()
      server.close()
      if (!given) await rm(folder, { recursive: true })
    },
  }
}

function callJoin(page: Page, zoom: Zoom, meeting: Meeting, options: JoinOptions = {}): Promise<void> {
  const { number: meetingNumber, passcodeToken: passWord } = meeting
  const signature = signatureFor(zoom.app, { mn: meetingNumber })
  const given = { meetingNumber, passWord, userName: 'Notetaker', signature, ...options }
  return page.evaluate((args) => (window as unknown as { joinMeeting: (it: object) => void }).joinMeeting(args), given)
}

/** A signature as an app's own server makes it; `claims` replace the usual ones. */
export function signatureFor({ key, secret }: Zoom['app'], claims: Readonly<Record<string, unknown>> = {}): string {
  const iat = Math.floor(Date.now() / 1000) - 30
  const exp = iat + 7_200
  const parts = [
    { alg: 'HS256', typ: 'JWT' },
    { appKey: key, sdkKey: key, role: 0, iat, exp, tokenExp: exp, ...claims },
  ]
  const text = parts.map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.')
  return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`
}

async function openPage(browser: Browser, address: string, script?: () => void): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 720 } })
  await context.grantPermissions(['microphone', 'camera'], { origin: address })
  const page = await context.newPage()
  onTestFinished(() => context.close())
  if (script) await page.addInitScript(script)
  await page.goto(address)
  await page.waitForFunction(() => (window as unknown as { isReady?: boolean }).isReady)
  return page
}

export function happenings(page: Page): Promise<readonly Happening[]> {
  return page.evaluate(() => (window as unknown as { happenings: Happening[] }).happenings)
}

/** The first happening of this name, once its data has all of these values. */
export function happens(page: Page, what: string, wanted: Readonly<Record<string, unknown>> = {}): Promise<Happening> {
  const matches = (it: Happening) => it.what === what && Object.entries(wanted).every(([name, value]) => it.data?.[name] === value)
  return eventually(`${what} ${JSON.stringify(wanted)}`, async () => (await happenings(page)).find(matches))
}

/** Calls a function of the SDK and returns the result of its callback. */
export function call(
  page: Page,
  method: string,
  args: object = {},
): Promise<{ readonly status: boolean; readonly errorMessage: string; readonly result: unknown }> {
  return page.evaluate(
    ([name, given]) =>
      new Promise((resolve) => {
        const { ZoomMtg } = window as unknown as { ZoomMtg: Record<string, (it: object) => void> }
        ZoomMtg[name as string]?.({ ...(given as object), success: resolve, error: resolve })
      }),
    [method, args] as const,
  )
}

/** `until` with a deadline for a browser on a busy machine. */
export function eventually<Answer>(what: string, probe: () => Answer | Promise<Answer>): Promise<NonNullable<Answer>> {
  return until(what, probe, BROWSER_MS)
}

const EVENTS = [
  ...['onUserJoin', 'onUserUpdate', 'onUserLeave', 'onUserIsInWaitingRoom', 'onMeetingStatus', 'onJoinSpeed', 'onActiveSpeaker'],
  ...[
    'onReceiveChatMsg',
    'onReceiveTranscriptionMsg',
    'onShareContentChange',
    'onMediaCapturePermissionChange',
    'onMediaCaptureStatusChange',
  ],
]

const DOCUMENT = `<!doctype html><html><head><meta charset="utf-8"><link rel="icon" href="data:,">
${[...VENDOR.map((name) => `lib/vendor/${name}`), 'zoom-meeting-6.2.0'].map((name) => `<script src="/dist/${name}.min.js"></script>`).join('\n')}
</head><body><script type="module">
window.happenings = []
const note = (what) => (data) => happenings.push({ what, data: data ?? null })
ZoomMtg.setZoomJSLib(location.origin + '/dist/lib', '/av')
ZoomMtg.preLoadWasm()
ZoomMtg.prepareWebSDK()
await ZoomMtg.i18n.load('en-US')
ZoomMtg.init({ leaveUrl: location.origin + '/left', disablePreview: true, success: () => { window.isReady = true }, error: note('init error') })
for (const event of ${JSON.stringify(EVENTS)}) ZoomMtg.inMeetingServiceListener(event, note(event))
window.joinMeeting = (args) => ZoomMtg.join({ ...args, success: note('join success'), error: note('join error') })
</script></body></html>`

async function serve(folder: string): Promise<Server> {
  const server = createServer(async (request, response) => {
    const path = normalize(new URL(request.url ?? '/', 'http://page').pathname)
    if (!path.startsWith('/dist/')) return void response.writeHead(200, { ...ISOLATED, 'content-type': 'text/html' }).end(DOCUMENT)
    const file = await readFile(join(folder, path)).catch(() => null)
    const type = TYPES[extname(path)] ?? 'application/octet-stream'
    response.writeHead(file ? 200 : 404, { ...ISOLATED, 'content-type': type }).end(file)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return server
}
