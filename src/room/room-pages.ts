// Answers HTTP requests for the room's page. Its TypeScript is served as JavaScript with the types stripped.
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { extname, join } from 'node:path'
import { type RoomAccess, tokenIn } from './room-access.ts'

export type RoomAnswer = {
  readonly status: 200 | 304 | 308 | 403
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** The paths that `createRoomPages` answers, in the notation of the router. */
export const ROOM_PATHS = ['/room/:id', '/room/:id/', '/room/assets/*'] as const

const PAGE_PATH = /^\/room\/([\w-]{1,64})(\/?)$/
const ASSET_PATH = /^\/room\/assets\/([\w./-]+)$/

const SECURITY_HEADERS = {
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "media-src 'self' blob: mediastream:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'permissions-policy': 'camera=(self), microphone=(self), display-capture=(self)',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
}

type Asset = { readonly type: string; readonly body: string; readonly etag: string }

const REFUSALS = {
  refused: { title: 'This link does not open the room', text: 'A part of the link may be missing. Ask for the whole link.' },
  expired: { title: 'This link has expired', text: 'Ask for a new link to the room.' },
} as const

export type PageOptions = {
  /** Without it every room is open. */
  readonly admit?: RoomAccess['admit']
}

/** Returns the answer for a URL; null for other paths. Reads all files once. */
export function createRoomPages({ admit = () => 'guest' }: PageOptions = {}): (url: string, ifNoneMatch?: string) => RoomAnswer | null {
  const assets = readAssets(import.meta.dirname)
  const page = pageWith([...assets.keys()])
  const template = readFileSync(join(import.meta.dirname, 'page', 'refused.html'), 'utf8')

  const pageOf = (url: string, path: string, roomId: string, slash: string): Asset | RoomAnswer | null => {
    const admission = admit(roomId, tokenIn(url))
    if (admission === 'absent') return null
    // The page's relative URLs need a path without a trailing slash.
    if (slash) return { status: 308, headers: { location: `../${roomId}${url.slice(path.length)}` }, body: '' }
    return admission === 'refused' || admission === 'expired' ? refusalOf(template, admission) : page
  }

  return (url, ifNoneMatch) => {
    const path = url.split('?', 1)[0] ?? ''
    const [, roomId, slash = ''] = PAGE_PATH.exec(path) ?? []
    const found = roomId ? pageOf(url, path, roomId, slash) : assets.get(ASSET_PATH.exec(path)?.[1] ?? '')
    if (!found || 'status' in found) return found ?? null
    const headers = { ...SECURITY_HEADERS, 'cache-control': 'no-cache', etag: found.etag }
    if (ifNoneMatch === found.etag) return { status: 304, headers, body: '' }
    return { status: 200, headers: { ...headers, 'content-type': found.type }, body: found.body }
  }
}

function refusalOf(template: string, admission: keyof typeof REFUSALS): RoomAnswer {
  const { title, text } = REFUSALS[admission]
  const headers = { ...SECURITY_HEADERS, 'cache-control': 'no-store', 'content-type': 'text/html; charset=utf-8' }
  return { status: 403, headers, body: template.replaceAll('{title}', title).replaceAll('{text}', text) }
}

const TYPES: Readonly<Record<string, string>> = {
  '.ts': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
}

function readAssets(directory: string): ReadonlyMap<string, Asset> {
  const inPage = readdirSync(join(directory, 'page'), { recursive: true, encoding: 'utf8' }).map((name) => `page/${name}`)
  const names = ['wire.ts', ...inPage].filter((name) => Object.hasOwn(TYPES, extname(name)))
  return new Map(names.map((name) => [name, assetOf(extname(name), readFileSync(join(directory, name), 'utf8'))]))
}

/** Preloads all modules; otherwise the browser would discover them one import at a time. */
function pageWith(assets: readonly string[]): Asset {
  const html = readFileSync(join(import.meta.dirname, 'page', 'index.html'), 'utf8')
  const preloads = assets.filter((name) => name.endsWith('.ts')).map((name) => `<link rel="modulepreload" href="assets/${name}" />`)
  const body = html.replace('<!-- modules -->', preloads.join('\n    '))
  return { type: 'text/html; charset=utf-8', body, etag: etagOf(body) }
}

function assetOf(extension: string, source: string): Asset {
  const body = extension === '.ts' ? withoutTypes(source) : source
  return { type: TYPES[extension] ?? '', body, etag: etagOf(body) }
}

/** Suppresses Node's experimental warning, because the version of Node is pinned. */
function withoutTypes(source: string): string {
  const { emitWarning } = process
  process.emitWarning = () => undefined
  try {
    return stripTypeScriptTypes(source)
  } finally {
    process.emitWarning = emitWarning
  }
}

function etagOf(body: string): string {
  return `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`
}
