// Operations with several paths. The first path is canonical; the OpenAPI document marks the others as deprecated aliases.
import type { FastifySchema } from 'fastify'

const PREFIX = '/api/v1'

type AliasedPath = { readonly path: string; readonly named: FastifySchema }

export function aliased(operationId: string, first: string, ...others: readonly string[]): readonly AliasedPath[] {
  return [{ path: first, named: { operationId } }, ...others.map((path) => ({ path, named: aliasOf(operationId, PREFIX + path) }))]
}

function aliasOf(operationId: string, path: string): FastifySchema {
  const root = path.startsWith(PREFIX) ? '' : 'Root'
  return { operationId: `${operationId}At${root}${inWords(path.replace(PREFIX, ''))}`, deprecated: true, 'x-alias-of': operationId }
}

/** The schema of the same route without /api/v1. */
export function withoutPrefix(schema: FastifySchema | undefined, path: string): FastifySchema {
  return { ...schema, ...aliasOf(schema?.['x-alias-of'] ?? schema?.operationId ?? '', path) }
}

function inWords(path: string): string {
  return path
    .split('/')
    .filter((part) => !part.startsWith(':'))
    .flatMap((part) => part.split(/[_-]/))
    .map((part) => part.charAt(0).toUpperCase() + part.slice(1))
    .join('')
}

declare module 'fastify' {
  interface FastifySchema {
    readonly 'x-alias-of'?: string
  }
}
