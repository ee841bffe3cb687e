// Operations with several paths. The OpenAPI document marks all paths but the first as deprecated aliases.
import type { FastifySchema } from 'fastify'

/** The paths of an operation with the schema of each. The first path is canonical. */
export function aliased<Schema extends { readonly operationId: string }>(schema: Schema, first: string, ...others: readonly string[]) {
  const { operationId } = schema
  const aliases = others.map((path) => ({ path, schema: { ...schema, ...aliasOf(operationId, `${operationId}At${lastWords(path)}`) } }))
  return [{ path: first, schema }, ...aliases]
}

function aliasOf(operationId: string, alias: string): FastifySchema {
  return { operationId: alias, deprecated: true, 'x-alias-of': operationId }
}

/** The schema of the same route without /api/v1. */
export function withoutPrefix(schema: FastifySchema | undefined): FastifySchema {
  const { operationId = '', 'x-alias-of': first = operationId } = schema ?? {}
  return { ...schema, ...aliasOf(first, `${operationId}WithoutPrefix`) }
}

/** `/calendar/scheduled_bots/:bot_id` is `ScheduledBots`. */
function lastWords(path: string): string {
  const last = path.split('/').findLast((part) => !part.startsWith(':')) ?? ''
  return last
    .split(/[_-]/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('')
}

declare module 'fastify' {
  interface FastifySchema {
    readonly 'x-alias-of'?: string
  }
}
