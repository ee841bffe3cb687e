// The page that shows the published description: everything it needs comes from this server, and no other page can frame it.
import { createHash } from 'node:crypto'
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { ServiceError } from '../../domain/errors.ts'
import type { Api } from './deps.ts'

/** The page is made at the first visit: it brings 4 MB of script, which a server nobody looks at need not hold. */
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

/** One line of the page starts the script that it loads. */
function inlineScripts(page: string): string[] {
  return [...page.matchAll(/<script(?![^>]*\ssrc=)[^>]*>(.*?)<\/script>/gs)].map(([, script]) => script ?? '')
}

function hashOf(script: string): string {
  return `'sha256-${createHash('sha256').update(script).digest('base64')}'`
}

/** Scalar writes its styles into the page, so they cannot be told from foreign ones. */
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
