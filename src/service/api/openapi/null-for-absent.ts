// Allows null for optional fields of request schemas, where null means that the field is absent.
import { isJson, type Json, mapValues, operationsIn } from './components.ts'

type Schemas = Record<string, Json>

/** Changes only schemas that requests use. */
export function withNullForAbsent(schemas: Schemas, paths: Json): Schemas {
  const requests = new Set<string>()
  const collect = (value: unknown): void => {
    for (const name of namesIn(value)) {
      if (requests.has(name)) continue
      requests.add(name)
      collect(schemas[name])
    }
  }
  for (const { operation } of operationsIn(paths)) collect(operation.requestBody)
  return mapValues(schemas, (schema, name) => (requests.has(name) ? loosened(schema as Json) : schema)) as Schemas
}

function namesIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(namesIn)
  if (!isJson(value)) return []
  const own = typeof value.$ref === 'string' ? [value.$ref.split('/').at(-1) ?? ''] : []
  return [...own, ...Object.values(value).flatMap(namesIn)]
}

function loosened(schema: Json): Json {
  const { properties, required } = schema
  if (!isJson(properties)) return schema
  const isRequired = (name: string) => Array.isArray(required) && required.includes(name)
  return { ...schema, properties: mapValues(properties, (field, name) => (isRequired(name) ? field : orNull(field as Json))) }
}

const NULL = { type: 'null' }

function orNull({ $ref, const: only, ...field }: Json): Json {
  if ($ref !== undefined) return { ...field, anyOf: [{ $ref }, NULL] }
  if (Array.isArray(field.anyOf)) return field.anyOf.some((it) => it.type === 'null') ? field : { ...field, anyOf: [...field.anyOf, NULL] }
  if (only !== undefined) return { ...field, enum: [only, null], type: ['string', 'null'] }
  const allowed = Array.isArray(field.enum) ? { enum: [...field.enum, null] } : {}
  return field.type === undefined ? field : { ...field, ...allowed, type: [field.type, 'null'] }
}
