// Parses request bodies: JSON that PostgreSQL can store, or a 400 that says why not.
import { isUtf8 } from 'node:buffer'
import type { FastifyRequest } from 'fastify'
import { invalid, ServiceError } from '../../../domain/errors.ts'
import type { Api } from '../deps.ts'
import { checkText } from './text-rules.ts'
import { type JsonPath, walkText } from './walk-json.ts'

/** The largest body where anyone may send one. */
export const OPEN_BODY_BYTES = 16 * 1024
/** The largest body of a caller who is known. */
export const KNOWN_BODY_BYTES = 1024 * 1024

/** Gives the routes of this scope large bodies. The scope must authenticate in `onRequest`, before a body is read. */
export function acceptLargeBodies(app: Api): void {
  app.addHook('onRoute', (route) => {
    route.bodyLimit ??= KNOWN_BODY_BYTES
  })
}

/** Accepts JSON only. An empty body with any Content-Type counts as no body. */
export function acceptBodies(app: Api): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, async (_request: FastifyRequest, bytes: Buffer) => parseBody(bytes))
  app.addContentTypeParser('*', { parseAs: 'buffer' }, async (_request: FastifyRequest, bytes: Buffer) => {
    if (bytes.length === 0) return undefined
    throw new ServiceError('invalid', 'Content-Type must be application/json.')
  })
  // A missing body is validated as {}, so that the error names the first required field.
  app.addHook('preValidation', async (request) => {
    if (request.body === undefined && request.routeOptions.schema?.body) request.body = {}
    // Routes without a query schema ignore the query.
    if (request.routeOptions.schema?.querystring) checkQuery(request.query)
  })
}

function parseBody(bytes: Buffer): unknown {
  const text = decoded(bytes)
  if (text.trim() === '') return undefined
  let body: unknown
  try {
    body = JSON.parse(text)
  } catch {
    throw invalid('The request body must be valid JSON.')
  }
  walkText(body, (text, path, isName) => {
    checkText(() => (isName ? nameIn(path) : path.join('.') || 'The request body'), text)
    return false
  })
  return body
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

function decoded(bytes: Buffer): string {
  try {
    return utf8.decode(bytes)
  } catch {
    throw invalid(`${fieldNotUtf8(bytes) || 'The request body'} must be valid UTF-8.`)
  }
}

/** The field that is not valid UTF-8, such as `bot_name`, or null if the body is not JSON either. */
function fieldNotUtf8(bytes: Buffer): string | null {
  try {
    // Latin-1 maps each byte to one character, so strings can be turned back into bytes. Escapes are blanked, because they are ASCII.
    const text = bytes.toString('latin1').replaceAll(/\\(u[0-9a-f]{4}|.)/gi, (whole, kind: string) => (kind.length > 1 ? '?' : whole))
    let found: string | null = null
    walkText(JSON.parse(text), (part, path) => {
      if (isUtf8(Buffer.from(part, 'latin1'))) return false
      found = path.join('.')
      return true
    })
    return found
  } catch {
    return null
  }
}

function nameIn(path: JsonPath): string {
  return path.length > 0 ? `A field name in ${path.join('.')}` : 'A field name'
}

function checkQuery(query: unknown): void {
  for (const [name, value] of Object.entries(query ?? {})) {
    checkText(() => 'The name of a query parameter', name)
    for (const text of [value].flat()) checkText(() => name, String(text))
  }
}
