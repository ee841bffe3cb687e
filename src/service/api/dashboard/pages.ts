// Serves the built dashboard. Every page URL gets the same HTML, because routing runs in the browser.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { ServiceError } from '../../../domain/errors.ts'
import type { Api } from '../deps.ts'
import { IMMUTABLE, type KeptFile, keptFile, REVALIDATED, sendKept } from '../http/kept-file.ts'

const PAGES = ['/', '/sign-in', '/set-up', '/join', '/w/*'] as const

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
}

export type PagesOptions = {
  readonly folder: string
  /** The bucket's origin if `S3_DIRECT_READS` redirects media there. */
  readonly mediaOrigin: string | null
}

function headersWith(mediaOrigin: string | null): Record<string, string> {
  const media = ["'self'", ...(mediaOrigin ? [mediaOrigin] : [])].join(' ')
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    // The player and the waveforms insert inline styles into their shadow roots.
    "style-src 'self' 'unsafe-inline'",
    `img-src data: ${media}`,
    `media-src blob: ${media}`,
    `connect-src ${media}`,
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ]
  return {
    'content-security-policy': policy.join('; '),
    'referrer-policy': 'no-referrer',
    'x-frame-options': 'DENY',
    'cross-origin-opener-policy': 'same-origin',
  }
}

/** Adds no routes if the dashboard was not built, so `/` gives 404. */
export function dashboardPages(app: Api, { folder, mediaOrigin }: PagesOptions): void {
  if (!existsSync(join(folder, 'index.html'))) return
  const files = readFiles(folder)
  const page = files.get('index.html')
  const headers = headersWith(mediaOrigin)
  const schema = { hide: true }
  const answer = (request: FastifyRequest, reply: FastifyReply, file: KeptFile | undefined, caching: string) => {
    if (!file) throw new ServiceError('not_found')
    return sendKept(request, reply.headers(headers), file, caching)
  }
  for (const path of PAGES) app.get(path, { schema }, (request, reply) => answer(request, reply, page, REVALIDATED))
  app.get('/assets/*', { schema }, (request, reply) => {
    const name = request.url.slice(1).split('?', 1)[0] ?? ''
    return answer(request, reply, files.get(name), IMMUTABLE)
  })
}

/** Browsers ask for /favicon.ico on pages that name no icon, such as the docs page. Adds no route if the dashboard was not built. */
export function iconRoute(app: Api, folder: string): void {
  const assets = join(folder, 'assets')
  const name = existsSync(assets) && readdirSync(assets).find((it) => /^icon-.*\.svg$/.test(it))
  if (!name) return
  const icon = keptFile(TYPES['.svg'] ?? '', readFileSync(join(assets, name)))
  const headers = headersWith(null)
  app.get('/favicon.ico', { schema: { hide: true } }, (request, reply) => {
    return sendKept(request, reply.headers(headers), icon, 'public, max-age=86400')
  })
}

function readFiles(folder: string): ReadonlyMap<string, KeptFile> {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => Object.hasOwn(TYPES, extname(name)))
  return new Map(names.map((name) => [name, keptFile(TYPES[extname(name)] ?? '', readFileSync(join(folder, name)))]))
}
