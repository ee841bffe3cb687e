// Named schemas of the OpenAPI document: defined once under components and referenced everywhere else.
import { NAMED } from './schema-names.ts'

/** Any object of the OpenAPI document. */
export type Json = { readonly [field: string]: unknown }

/** Marks a named schema until the document is complete. */
const MARK = 'x-name'

/**
 * Identifies a schema by its `properties`, `enum` or `anyOf` object. TypeBox copies a schema when it adds options such as a description,
 * but that inner object stays the same.
 */
const identityOf = (schema: Json): unknown => schema.properties ?? schema.enum ?? schema.anyOf ?? schema

const NAMES: ReadonlyMap<unknown, string> = new Map(Object.entries(NAMED).map(([name, schema]) => [identityOf(schema as Json), name]))

/** Copies a route's schema and replaces named schemas with marks. */
export function marked(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(marked)
  if (!isJson(value)) return value
  const name = NAMES.get(identityOf(value))
  if (name === undefined) return mapValues(value, marked)
  const { description, 'x-errors': errors } = value
  return {
    type: 'object',
    [MARK]: name,
    ...(description !== undefined && { description }),
    ...(errors !== undefined && { 'x-errors': errors }),
  }
}

/** Replaces marks with references. */
export function referring(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(referring)
  if (!isJson(value)) return value
  const name = value[MARK]
  if (typeof name !== 'string') return mapValues(value, referring)
  const { description, 'x-errors': errors } = value
  const isOwn = description === undefined || description === (NAMED[name] as Json | undefined)?.description
  return { ...refTo(name), ...(!isOwn && { description }), ...(errors !== undefined && { 'x-errors': errors }) }
}

export function refTo(name: string): { readonly $ref: string } {
  return { $ref: `#/components/schemas/${name}` }
}

export function namedSchemas(): Record<string, Json> {
  const named = Object.entries(NAMED).map(([name, schema]) => [name, published(referring(mapValues(schema as Json, insideOf))) as Json])
  return Object.fromEntries(named)
}

/** Marks the parts of a named schema, but not the inner object that identifies it. */
function insideOf(part: unknown, name: string): unknown {
  if (name === 'anyOf' && Array.isArray(part)) return part.map(marked)
  return (name === 'properties' || name === 'patternProperties') && isJson(part) ? mapValues(part, marked) : marked(part)
}

/** URL fields are validated as `line` and published as `uri`. */
const URL_FIELD = /^(url|\w+_url)$/

function asUri(field: unknown): unknown {
  return isJson(field) && field.format === 'line' ? { ...field, format: 'uri' } : field
}

/** Adapts a schema for OpenAPI 3.1 tools: enums get a type, and records get additionalProperties. */
export function published(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(published)
  if (!isJson(value)) return value
  const { patternProperties, ...schema } = mapValues(value, (it, field) => published(URL_FIELD.test(field) ? asUri(it) : it))
  const [record] = isJson(patternProperties) ? Object.values(patternProperties) : []
  const isEnum = Array.isArray(schema.enum) && schema.type === undefined && schema.enum.every((it) => typeof it === 'string')
  return { ...(isEnum && { type: 'string' }), ...schema, ...(record !== undefined && { additionalProperties: record }) }
}

export function isJson(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function mapValues(object: Json, change: (value: unknown, name: string) => unknown): Record<string, unknown> {
  return Object.fromEntries(Object.entries(object).map(([name, value]) => [name, change(value, name)]))
}
