// Names unnamed nested objects after their schema and field.
import { isJson, type Json, mapValues, refTo } from './components.ts'

type Schemas = Record<string, Json>

/** Objects with fewer fields stay inline. */
const MIN_FIELDS = 2

export function withNestedNamed(schemas: Schemas): Schemas {
  const result: Schemas = {}

  function inside(schema: Json, name: string): Json {
    return mapValues(schema, (part, keyword) => {
      if (keyword === 'properties' && isJson(part)) return mapValues(part, (it, field) => outside(it, name + inWords(field)))
      return keyword === 'examples' ? part : outside(part, name)
    })
  }

  function outside(value: unknown, name: string): unknown {
    if (Array.isArray(value)) return value.map((it) => outside(it, name))
    if (!isJson(value)) return value
    const schema = inside(value, name)
    if (!isJson(schema.properties) || Object.keys(schema.properties).length < MIN_FIELDS) return schema
    if (name in schemas) throw new Error(`openapi: two schemas would have the name ${name}`)
    result[name] = schema
    return refTo(name)
  }

  for (const [name, schema] of Object.entries(schemas)) result[name] = inside(schema, name)
  return result
}

function inWords(field: string): string {
  return field
    .split('_')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('')
}
