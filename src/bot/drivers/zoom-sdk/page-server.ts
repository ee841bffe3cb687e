// Serves the page of each Zoom bot and the files of the SDK to the browser of this worker, on loopback and under a secret path.
import { randomBytes } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { readdir, realpath, stat } from 'node:fs/promises'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { extname, join, sep } from 'node:path'
import { hiddenObject, pageCall } from '../../worker/page-bundle.ts'
import { CALLS, type PageOrders, STORE } from './report.ts'

/** Content types by file extension. Files with another extension are not served. */
const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.wasm': 'application/wasm',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json',
  '.bin': 'application/octet-stream',
  '.mp3': 'audio/mpeg',
  '.wav': 'audio/wav',
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.svg': 'image/svg+xml',
  '.cur': 'image/x-icon',
}
/** Followed by the code of a refusal. */
const NEXT = 'next/'
const HTML = 'text/html; charset=utf-8'

const ZOOM = 'https://zoom.us https://*.zoom.us'
/** Allows the page's own files, workers from blobs, WebAssembly, and Zoom's hosts. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self' blob: 'wasm-unsafe-eval'",
  "worker-src 'self' blob:",
  "style-src 'self' 'unsafe-inline'",
  `img-src 'self' data: blob: ${ZOOM}`,
  "font-src 'self' data:",
  "media-src 'self' data: blob:",
  `connect-src 'self' data: blob: ${ZOOM} wss://zoom.us wss://*.zoom.us`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

const HEADERS = {
  'content-security-policy': POLICY,
  // The SDK's gallery needs shared memory, which only isolated pages have.
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-embedder-policy': 'require-corp',
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
}

/** Libraries that the SDK expects in the page, in this order. */
const LIBRARIES = ['react', 'react-dom', 'redux', 'redux-thunk', 'lodash', 'react-redux']
const SDK_FILE = /^zoom-meeting-\d[\w.-]*\.min\.js$/
const PATH = /^\/([\w-]{43})\/(|left|page\.js|store\.js|next\/\d{1,10}|sdk(?:\/[\w-][\w.@-]*)+)$/

type Visit = {
  readonly dist: string
  readonly script: string
  /** Null until the bot joins. */
  orders: (() => PageOrders) | null
  nextMs: Joins['nextMs']
}

export type Joins = {
  /** The parameters of the next try, for each load of the page. */
  readonly join: () => PageOrders['join']
  /** A try was refused with this code: the page is loaded again after so many milliseconds; null: never. */
  readonly nextMs: (code: number) => number | null
}

export type BotPage = {
  readonly url: URL
  /** Must be called before the page is opened. `reports`: the hidden object through which it reports. */
  give(orders: Joins & { readonly reports: string }): void
  close(): void
}

const visits = new Map<string, Visit>()
let server: Promise<Server> | null = null

/** Throws if the folder holds no SDK. */
export async function openBotPage(sdkFolder: string): Promise<BotPage> {
  const dist = await realpath(join(sdkFolder, 'dist'))
  const script = (await readdir(dist)).find((name) => SDK_FILE.test(name))
  if (script === undefined) throw new Error(`zoom: there is no Meeting SDK in ${sdkFolder}`)
  server ??= listen()
  const { port } = (await server).address() as AddressInfo
  const secret = randomBytes(32).toString('base64url')
  const visit: Visit = { dist, script, orders: null, nextMs: () => null }
  visits.set(secret, visit)
  const url = new URL(`http://127.0.0.1:${port}/${secret}/`)
  return {
    url,
    give({ reports, join, nextMs }) {
      const names = { reports, store: STORE, calls: CALLS }
      const places = { library: new URL('sdk/lib', url).href, leaveUrl: new URL('left', url).href, nextTry: new URL(NEXT, url).href }
      visit.orders = () => ({ ...places, names, join: join() })
      visit.nextMs = nextMs
    },
    close: () => void visits.delete(secret),
  }
}

async function listen(): Promise<Server> {
  const made = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy())
  })
  await new Promise<void>((resolve, reject) => made.once('error', reject).listen(0, '127.0.0.1', resolve))
  // The server alone does not keep the worker alive.
  made.unref()
  return made
}

async function answer({ method, url = '', headers }: IncomingMessage, response: ServerResponse): Promise<void> {
  const { localPort } = response.socket ?? {}
  const [, secret = '', path = ''] = PATH.exec(url) ?? []
  const visit = visits.get(secret)
  // Another host name means DNS rebinding.
  if (method !== 'GET' || headers.host !== `127.0.0.1:${localPort}` || !visit) return refuse(response)
  if (path.startsWith('sdk/')) return sendFile(visit, path.slice('sdk/'.length), response)
  const [type, text] = textOf(visit, path)
  if (text === null) return refuse(response)
  response.writeHead(200, { ...HEADERS, 'content-type': type }).end(text)
}

function textOf({ script, orders, nextMs }: Visit, path: string): readonly [type: string, text: string | null] {
  const js = TYPES['.js'] ?? ''
  if (path === 'left') return [HTML, '<!doctype html><meta charset="utf-8"><title>Left</title><body data-left></body>']
  if (path === 'store.js') return [js, `${hiddenObject(STORE)}()`]
  if (path === 'page.js') return [js, orders && pageCall(import.meta.url, 'page/start.ts', 'startZoom', orders())]
  if (path.startsWith(NEXT)) return [TYPES['.json'] ?? '', JSON.stringify(nextMs(Number(path.slice(NEXT.length))))]
  return [HTML, htmlOf(script)]
}

function htmlOf(script: string): string {
  const vendor = LIBRARIES.map((name) => `sdk/lib/vendor/${name}.min.js`)
  const scripts = ['page.js', ...vendor.slice(0, 3), 'store.js', ...vendor.slice(3), `sdk/${script}`]
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>Meeting</title><link rel="stylesheet" href="sdk/ui/zoom-meetingsdk.css">
<body>${scripts.map((src) => `<script src="${src}"></script>`).join('\n')}</body></html>`
}

async function sendFile({ dist }: Visit, path: string, response: ServerResponse): Promise<void> {
  const type = TYPES[extname(path)]
  const file = await realpath(join(dist, path)).catch(() => null)
  // A symbolic link must not lead out of the folder.
  if (!type || !file?.startsWith(dist + sep)) return refuse(response)
  const found = await stat(file)
  if (!found.isFile()) return refuse(response)
  response.writeHead(200, { ...HEADERS, 'content-type': type, 'content-length': found.size })
  createReadStream(file)
    .once('error', () => response.destroy())
    .pipe(response)
}

function refuse(response: ServerResponse): void {
  response.writeHead(404, HEADERS).end()
}
