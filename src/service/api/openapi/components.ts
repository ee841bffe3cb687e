// Components of an OpenAPI document: each named schema is defined once and referenced everywhere else.
import { NAMED } from '../schema.ts'

/** Any object of the OpenAPI document. */
export type Json = { readonly [field: string]: unknown }

export type Components = {
  /** The schemas that were referred to, by name. */
  readonly schemas: Record<string, Json>
  /** Copies schemas of routes, or a whole part of the document, for publication. */
  publish(value: unknown): unknown
}

export function createComponents(): Components {
  const schemas: Record<string, Json> = {}

  function publish(value: unknown): unknown {
    if (Array.isArray(value)) return value.map(publish)
    if (!isJson(value)) return value
    const { 'x-name': name, 'x-published': shown, ...schema } = value
    if (typeof name === 'string') return reference(name, schema)
    if (!isJson(shown)) return adapted(mapValues(schema, publish))
    const isOther = 'x-name' in shown || 'anyOf' in shown
    return publish(isOther ? { ...shown, ...described(schema) } : { ...schema, ...shown })
  }

  function reference(name: string, { 'x-errors': errors, ...copy }: Json): Json {
    const { 'x-name': _, ...own } = NAMED.get(name) as Json
    if (!(name in schemas)) {
      // Before its parts, which may refer to it.
      schemas[name] = {}
      schemas[name] = publish(own) as Json
    }
    return {
      ...refTo(name),
      ...(copy.description !== own.description && described(copy)),
      ...(errors !== undefined && { 'x-errors': errors }),
    }
  }

  return { schemas, publish }
}

function described({ description }: Json): Json {
  return description === undefined ? {} : { description }
}

export function refTo(name: string): { readonly $ref: string } {
  return { $ref: `#/components/schemas/${name}` }
}

/** Adapts a schema for OpenAPI 3.1 tools: enums get a type, and records get additionalProperties. */
function adapted({ patternProperties, ...schema }: Json): Json {
  const [record] = isJson(patternProperties) ? Object.values(patternProperties) : []
  const isEnum = Array.isArray(schema.enum) && schema.type === undefined && schema.enum.every((it) => typeof it === 'string')
  return { ...(isEnum && { type: 'string' }), ...schema, ...(record !== undefined && { additionalProperties: record }) }
}

export function isJson(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** An operation of the document with its path. */
export type Placed = { readonly path: string; readonly operation: Json }

export function operationsIn(paths: Json): Placed[] {
  return Object.entries(paths).flatMap(([path, methods]) => Object.values(methods as Json).map((it) => ({ path, operation: it as Json })))
}

/** Changes each operation of the paths. */
export function mapOperations(paths: Json, change: (operation: Json) => Json): Json {
  return mapValues(paths, (methods) => mapValues(methods as Json, (operation) => change(operation as Json)))
}

export function mapValues(object: Json, change: (value: unknown, name: string) => unknown): Record<string, unknown> {
  return Object.fromEntries(Object.entries(object).map(([name, value]) => [name, change(value, name)]))
}
