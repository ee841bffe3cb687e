// Named parts of the published description: each named schema is written once, and everything else refers to it.
import { NAMED } from './names.ts'

/** A piece of the document: a schema, an operation, an answer. */
export type Json = { readonly [field: string]: unknown }

/** Stands where a named schema was, until the description is put together. */
const MARK = 'x-name'

/**
 * A schema is known by the object or list that makes it what it is: options such as a description are copied with it into
 * another object, that one stays the same.
 */
const identityOf = (schema: Json): unknown => schema.properties ?? schema.enum ?? schema.anyOf ?? schema

const NAMES: ReadonlyMap<unknown, string> = new Map(Object.entries(NAMED).map(([name, schema]) => [identityOf(schema as Json), name]))

/** A copy of a route's schema with marks in place of named schemas. */
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

/** The same with references in place of the marks. */
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

/** The named schemas themselves. */
export function namedSchemas(): Record<string, Json> {
  const named = Object.entries(NAMED).map(([name, schema]) => [name, published(referring(mapValues(schema as Json, insideOf))) as Json])
  return Object.fromEntries(named)
}

/** Parts of a named schema: the lists and tables that it is known by are not taken for the schema itself. */
function insideOf(part: unknown, name: string): unknown {
  if (name === 'anyOf' && Array.isArray(part)) return part.map(marked)
  return (name === 'properties' || name === 'patternProperties') && isJson(part) ? mapValues(part, marked) : marked(part)
}

/** Fields that hold an address; what checks them knows one line of text only. */
const ADDRESS = /^(url|\w+_url)$/

function asAddress(field: unknown): unknown {
  return isJson(field) && field.format === 'line' ? { ...field, format: 'uri' } : field
}

/** A schema as OpenAPI 3.1 readers expect it: an enum says its type, and a record has additionalProperties. */
export function published(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(published)
  if (!isJson(value)) return value
  const { patternProperties, ...schema } = mapValues(value, (it, field) => published(ADDRESS.test(field) ? asAddress(it) : it))
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
