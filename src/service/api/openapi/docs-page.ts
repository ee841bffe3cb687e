// GET /docs: the API reference. It loads nothing from other servers and cannot be framed.
import { createHash } from 'node:crypto'
import Fastify, { type FastifyReply, type FastifyRequest } from 'fastify'
import { ServiceError } from '../../../domain/errors.ts'
import type { Api } from '../deps.ts'
import { IMMUTABLE, type KeptFile, keptFile, REVALIDATED, sendKept } from '../http/kept-file.ts'

export type Documents = Readonly<Record<'json' | 'yaml', () => KeptFile>>

/** The script's URL in Scalar's page. It becomes one with a hash, so that browsers can keep the script. */
const SCRIPT = 'js/scalar.js'

type Served = { readonly file: () => KeptFile; readonly caching: string; readonly headers?: Readonly<Record<string, string>> }

/** Made at the first visit, because the script takes 4 MB of memory. */
export function docsPage(app: Api, documents: Documents): void {
  let page: Promise<ReadonlyMap<string, Served>> | undefined
  const show = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const path = request.url.split('?', 1)[0] ?? ''
    // The page's URLs are relative and need the slash.
    if (path === '/docs') return reply.headers(protectedBy([])).redirect('/docs/', 301)
    page ??= makePage(documents)
    const found = (await page).get(path.slice('/docs/'.length))
    if (!found) throw new ServiceError('not_found')
    return sendKept(request, reply.headers({ ...protectedBy([]), ...found.headers }), found.file(), found.caching)
  }
  for (const url of ['/docs', '/docs/*']) app.get(url, { schema: { hide: true }, logLevel: 'silent' }, show)
}

/** By path below /docs/. */
async function makePage({ json, yaml }: Documents): Promise<ReadonlyMap<string, Served>> {
  const { html, code } = await readScalar()
  const script = keptFile('text/javascript; charset=utf-8', code)
  const hashedName = SCRIPT.replace('.js', `.${script.hash}.js`)
  const text = html.replaceAll(SCRIPT, hashedName)
  const page = keptFile('text/html; charset=utf-8', text)
  const forOtherSites = { 'access-control-allow-origin': '*' }
  return new Map([
    ['', { file: () => page, caching: REVALIDATED, headers: protectedBy(inlineScripts(text).map(hashOf)) }],
    [hashedName, { file: () => script, caching: IMMUTABLE }],
    // For a page that was loaded from an earlier version.
    [SCRIPT, { file: () => script, caching: REVALIDATED }],
    ['openapi.json', { file: json, caching: REVALIDATED, headers: forOtherSites }],
    ['openapi.yaml', { file: yaml, caching: REVALIDATED, headers: forOtherSites }],
  ])
}

/** Reads the page and its script from the routes that Scalar adds to a server. */
async function readScalar(): Promise<{ readonly html: string; readonly code: Buffer }> {
  const { default: reference } = await import('@scalar/fastify-api-reference')
  const server = Fastify()
  await server.register(reference, {
    routePrefix: '/docs',
    configuration: {
      url: './openapi.json',
      title: 'Emissary API',
      withDefaultFonts: false,
      telemetry: false,
      showDeveloperTools: 'never',
      hideClientButton: true,
      agent: { disabled: true },
      mcp: { disabled: true },
    },
  })
  const [page, script] = await Promise.all([server.inject('/docs/'), server.inject(`/docs/${SCRIPT}`)])
  return { html: page.payload, code: script.rawPayload }
}

function protectedBy(scriptHashes: readonly string[]): Readonly<Record<string, string>> {
  return { 'content-security-policy': policyWith(scriptHashes), 'x-frame-options': 'DENY', 'referrer-policy': 'no-referrer' }
}

/** The page has one inline script, which starts the loaded one. */
function inlineScripts(page: string): string[] {
  return [...page.matchAll(/<script(?![^>]*\ssrc=)[^>]*>(.*?)<\/script>/gs)].map(([, script]) => script ?? '')
}

function hashOf(script: string): string {
  return `'sha256-${createHash('sha256').update(script).digest('base64')}'`
}

/** Scalar inserts inline styles, so styles need 'unsafe-inline'. */
function policyWith(scripts: readonly string[]): string {
  return [
    "default-src 'none'",
    ["script-src 'self'", ...scripts].join(' '),
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
}
