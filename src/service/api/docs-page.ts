// The page that shows the published description: everything it needs comes from this server, and no other page can frame it.
import { createHash } from 'node:crypto'
import reference from '@scalar/fastify-api-reference'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Api } from './deps.ts'

/** In a scope of its own, so that its headers are on nothing else. Call after the description has its plugin. */
export async function docsPage(app: Api): Promise<void> {
  await app.register(async (scope) => {
    scope.addHook('onSend', protect)
    await scope.register(reference, {
      routePrefix: '/docs',
      logLevel: 'silent',
      configuration: {
        title: 'Emissary API',
        withDefaultFonts: false,
        telemetry: false,
        showDeveloperTools: 'never',
        hideClientButton: true,
        agent: { disabled: true },
        mcp: { disabled: true },
      },
    })
  })
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
