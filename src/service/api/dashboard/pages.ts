// Serves the built dashboard. Every page URL gets the same HTML, because routing runs in the browser.
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { ServiceError } from '../../../domain/errors.ts'
import type { Api } from '../deps.ts'

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

type File = { readonly type: string; readonly plain: Buffer; readonly gzip: Buffer; readonly etag: string }

/** Adds no routes if the dashboard was not built, so `/` gives 404. */
export function dashboardPages(app: Api, { folder, mediaOrigin }: PagesOptions): void {
  if (!existsSync(join(folder, 'index.html'))) return
  const files = readFiles(folder)
  const page = files.get('index.html')
  const headers = headersWith(mediaOrigin)
  const schema = { hide: true }
  for (const path of PAGES) app.get(path, { schema }, async (request, reply) => answer(request, reply.headers(headers), page, 'no-cache'))
  app.get('/assets/*', { schema }, async (request, reply) => {
    const name = request.url.slice(1).split('?', 1)[0] ?? ''
    // The file name contains a hash of the content.
    return answer(request, reply.headers(headers), files.get(name), 'public, max-age=31536000, immutable')
  })
}

function answer(request: FastifyRequest, reply: FastifyReply, file: File | undefined, caching: string): FastifyReply {
  if (!file) throw new ServiceError('not_found')
  reply.headers({ 'cache-control': caching, etag: file.etag, vary: 'accept-encoding' })
  if (request.headers['if-none-match'] === file.etag) return reply.code(304).send()
  const takesGzip = /\bgzip\b/.test(String(request.headers['accept-encoding'] ?? ''))
  if (takesGzip) reply.header('content-encoding', 'gzip')
  return reply.type(file.type).send(takesGzip ? file.gzip : file.plain)
}

function readFiles(folder: string): ReadonlyMap<string, File> {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => Object.hasOwn(TYPES, extname(name)))
  return new Map(names.map((name) => [name, fileOf(extname(name), readFileSync(join(folder, name)))]))
}

function fileOf(extension: string, plain: Buffer): File {
  const etag = `"${createHash('sha256').update(plain).digest('base64url').slice(0, 22)}"`
  return { type: TYPES[extension] ?? '', plain, gzip: gzipSync(plain), etag }
}
