// GET /docs: the API reference. It loads nothing from other servers and cannot be framed.
import { createHash } from 'node:crypto'
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { ServiceError } from '../../../domain/errors.ts'
import type { Api } from '../deps.ts'

/** Created at the first visit, because its script takes 4 MB of memory. */
export function docsPage(app: Api): void {
  let page: Promise<FastifyInstance> | undefined
  const show = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    page ??= createPage(() => app.swagger())
    const { statusCode, headers, rawPayload } = await (await page).inject({ url: request.url, headers: { host: request.host } })
    if (statusCode === 404) throw new ServiceError('not_found')
    return reply.code(statusCode).headers(headers).send(rawPayload)
  }
  for (const url of ['/docs', '/docs/*']) app.get(url, { schema: { hide: true }, logLevel: 'silent' }, show)
}

async function createPage(content: () => object): Promise<FastifyInstance> {
  const { default: reference } = await import('@scalar/fastify-api-reference')
  const page = Fastify()
  page.addHook('onSend', protect)
  await page.register(reference, {
    routePrefix: '/docs',
    configuration: {
      content,
      title: 'Emissary API',
      withDefaultFonts: false,
      telemetry: false,
      showDeveloperTools: 'never',
      hideClientButton: true,
      agent: { disabled: true },
      mcp: { disabled: true },
    },
  })
  return page
}

async function protect(_request: FastifyRequest, reply: FastifyReply, payload: unknown): Promise<unknown> {
  const isPage = String(reply.getHeader('content-type')).startsWith('text/html')
  const hashes = isPage && typeof payload === 'string' ? inlineScripts(payload).map(hashOf) : []
  reply.headers({ 'content-security-policy': policyWith(hashes), 'x-frame-options': 'DENY', 'referrer-policy': 'no-referrer' })
  return payload
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
